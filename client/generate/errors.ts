/** The declarations of refusals: every code with its status, its sentence and its properties. */
import type { ErrorEntry } from "../../shared/contracts/errors/entry.js";
import { errorTable } from "../../shared/contracts/errors.js";
import { docComment, indented } from "./text.js";

const nameOf = (property: string): string =>
  /^[A-Za-z]\w*$/.test(property) ? property : JSON.stringify(property);

const propertiesType = ({ properties = {}, mayHave = [], isByField }: ErrorEntry): string => {
  if (isByField === true) return "Readonly<Record<string, string>>";
  const fields = [
    ...Object.entries(properties).map(
      ([name, example]) =>
        `${docComment(`Such as \`${example}\`.`)}readonly ${nameOf(name)}: string;\n`,
    ),
    ...mayHave.map((name) => `readonly ${nameOf(name)}?: string;\n`),
  ];
  return fields.length === 0 ? "NoProperties" : `{\n${indented(fields.join(""))}}`;
};

const declaration = ([code, entry]: readonly [string, ErrorEntry]): string =>
  docComment(entry.description) +
  `readonly ${code}: {\n` +
  indented(`readonly status: ${entry.status};\nreadonly properties: ${propertiesType(entry)};\n`) +
  "};\n";

export const errorDeclarations =
  (): string => `import type { AnyRefusal } from "./kernel/result.js";

type NoProperties = Readonly<Record<never, string>>;

/** The status of each code, and the properties that its refusals have. */
export interface Refusals {
${indented(Object.entries(errorTable).map(declaration).join(""))}}

/** A later version of the platform may have further ones: keep a branch for what you do not know. */
export type ErrorCode = keyof Refusals;

export interface RefusalOf<
  Code extends string,
  Said extends Pick<AnyRefusal, "status" | "properties">,
> extends AnyRefusal {
  readonly code: Code;
  readonly status: Said["status"];
  readonly properties: Said["properties"];
}

/** A refusal with one of these codes: \`code\` tells them apart, and with it \`status\` and \`properties\`. */
export type Refusal<Code extends ErrorCode = ErrorCode> = {
  [Each in Code]: RefusalOf<Each, Refusals[Each]>;
}[Code];

/** A refusal of an API that says no codes. */
export type StatusRefusal<Status extends number> = {
  [Each in Status]: AnyRefusal & { readonly code?: never; readonly status: Each };
}[Status];

/** Of calls that take nothing. */
export type NoInput = Readonly<Record<string, never>>;
`;
