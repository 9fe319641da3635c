/** The declarations of refusals: every code with its status and its sentence. */
import { errorTable } from "../../shared/contracts/errors.js";
import { docComment, indented } from "./text.js";

export const errorDeclarations = (): string => {
  const entries = Object.entries(errorTable).map(
    ([code, { status, description }]) => `${docComment(description)}readonly ${code}: ${status};\n`,
  );
  return `import type { AnyRefusal } from "./kernel/result.js";

/** The status of each code. */
export interface ErrorStatuses {
${indented(entries.join(""))}}

/** A later version of the platform may have further ones: keep a branch for what you do not know. */
export type ErrorCode = keyof ErrorStatuses;

/** A refusal with one of these codes: \`code\` tells them apart, and \`status\` what they have in common. */
export type Refusal<Code extends ErrorCode = ErrorCode> = {
  [Each in Code]: AnyRefusal & { readonly code: Each; readonly status: ErrorStatuses[Each] };
}[Code];

/** A refusal of an API that says no codes. */
export type StatusRefusal<Status extends number> = {
  [Each in Status]: AnyRefusal & { readonly code?: never; readonly status: Each };
}[Status];

/** Of calls that take nothing. */
export type NoInput = Readonly<Record<string, never>>;
`;
};
