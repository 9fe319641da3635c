/** Every refusal that the platform can give, read as its caller reads it: in both error models. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { errorTable, type ErrorCode } from "../../../shared/contracts/errors.js";
import { ErrorModel, TicketingError } from "../../../shared/contracts/platform/error-models.js";
import type { RefusalProperties } from "../../../shared/domain/outcome.js";
import { errorReply } from "../../../shared/http/error-body.js";
import { issueProperties } from "../../../shared/http/schema-issues.js";
import { isErrorCode, nameFaults } from "../../support/platform/refusal-properties.js";
import { requestInputs } from "../../support/platform/request-fields.js";
import {
  descriptionFaults,
  saysWhatToDo,
  textFaults,
} from "../../support/platform/refusal-text.js";

const codes = Object.keys(errorTable) as ErrorCode[];

/** Stands for what is put into a text, and for a request's id. */
const sample = "X1";

/** What a caller reads of a refusal, whichever API it called. */
const textsOf = (code: ErrorCode, properties: RefusalProperties): string[] => {
  const { error_description } = TicketingError.parse(
    JSON.parse(errorReply("ticketing", { code, properties }, sample).body),
  );
  const { errorDescription } = ErrorModel.parse(
    JSON.parse(errorReply("wallet", { code, properties }, sample).body),
  );
  return [error_description, errorDescription];
};

/** Those of the table alone, as the endpoints of both models give them. */
test.each(codes)("%s says what is wrong and what to do", (code) => {
  for (const text of textsOf(code, {})) {
    expect(descriptionFaults(text)).toEqual([]);
    expect([text, saysWhatToDo(text)]).toEqual([text, true]);
  }
});

/** A text of the code, with samples in it; undefined: it is made elsewhere. */
const textOf = (node: ts.Expression): string | undefined => {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => sample + literal.text).join("");
};

interface Given {
  readonly place: string;
  readonly code: ErrorCode;
  readonly properties: RefusalProperties;
  /** Undefined: some of them are named elsewhere. */
  readonly names: readonly string[] | undefined;
}

const namesOf = (node: ts.Expression | undefined): readonly string[] | undefined => {
  if (node === undefined) return [];
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  const names = node.properties.map(({ name }) =>
    name === undefined || ts.isComputedPropertyName(name) ? undefined : name.text,
  );
  return names.includes(undefined) ? undefined : names.filter((name) => name !== undefined);
};

const propertiesOf = (node: ts.Expression | undefined): RefusalProperties => {
  if (node === undefined || !ts.isObjectLiteralExpression(node)) return {};
  const texts = node.properties.flatMap((property) => {
    if (!ts.isPropertyAssignment(property)) return [];
    const text = textOf(property.initializer);
    const name = ts.isComputedPropertyName(property.name) ? sample : property.name.text;
    return text === undefined ? [] : [[name, text] as const];
  });
  return Object.fromEntries(texts);
};

/** Each call of `refusal` in a file, with the texts that it writes itself. */
const refusalsIn = (file: string): Given[] => {
  const source = ts.createSourceFile(
    file,
    readFileSync(file, "utf8"),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: Given[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText(source) === "refusal") {
      const [first, second] = node.arguments;
      const code = first !== undefined && ts.isStringLiteral(first) ? first.text : "";
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      if (isErrorCode(code))
        found.push({
          place: `${file}:${line + 1}`,
          code,
          properties: propertiesOf(second),
          names: namesOf(second),
        });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

const files = ["shared", "functions"].flatMap((area) =>
  readdirSync(area, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(area, name)),
);
const refusals = files.flatMap(refusalsIn);
const given = refusals.filter(({ properties }) => Object.keys(properties).length > 0);

test("the calls were found", () => {
  expect(given.length).toBeGreaterThan(30);
  expect(given.map(({ properties }) => Object.keys(properties)).flat()).toContain("");
});

test.each(given.map(({ place, ...rest }) => [place, rest] as const))(
  "%s reads well with its details",
  (_place, { code, properties }) => {
    for (const text of textsOf(code, properties)) expect(descriptionFaults(text)).toEqual([]);
    for (const text of Object.values(properties)) {
      expect(textFaults(text)).toEqual([]);
      // A detail goes on where its name stands: "filename must …", "It must …".
      if (text.endsWith(".")) expect(text).toMatch(/^(?!it )(X1 |[a-z])/);
    }
  },
);

test("each call names the properties that its code declares, which clients are typed by", () => {
  // Ticketing's model has none: what they say goes into its sentence.
  const named = refusals.flatMap(({ place, code, names }) =>
    names === undefined || place.includes("/ticketing/") ? [] : [{ place, code, names }],
  );
  expect(named.length).toBeGreaterThan(100);
  for (const { place, code, names } of named)
    expect([place, ...nameFaults(code, names)]).toEqual([place]);
});

/** Whatever does not fit somewhere: each kind of value, and texts that miss what patterns ask for. */
const misfits: readonly unknown[] = [
  ...[undefined, null, true, 1.005, -1, 1e300, Number.NaN, [], [[]], {}, { "no such": 1 }],
  ...["", " ", "42", "a".repeat(20_000), "<script>", "2030-13-01", "IT00", "a@", "\u0000"],
];

test("what schemas say of each place in a request reads well, too", () => {
  const read = new Set<string>();
  const tried = new Set<string>();
  // Most misfits of most fields are told of in the same words: each is judged once.
  const judged = new Set<string>();
  for (const { route, place, schema, fields } of requestInputs())
    for (const { schema: form, whole } of fields) {
      // Fields of one form say the same, whichever route has them.
      const key = place + JSON.stringify(form);
      if (tried.has(key)) continue;
      tried.add(key);
      for (const misfit of misfits) {
        const parsed = schema.safeParse(whole(misfit));
        if (parsed.success) continue;
        const properties = issueProperties(parsed.error.issues);
        const code = place === "body" ? "ValidationFailed" : "QueryParameterInvalid";
        for (const [name, text] of Object.entries(properties)) {
          const said = JSON.stringify([code, name, text]);
          if (judged.has(said)) continue;
          judged.add(said);
          const wrong = [
            ...textFaults(text),
            ...textsOf(code, { [name]: text }).flatMap(descriptionFaults),
          ];
          expect([route.id, name, ...wrong]).toEqual([route.id, name]);
          expect([text, saysWhatToDo(text)]).toEqual([text, true]);
          read.add(text);
        }
      }
    }
  expect(read.size).toBeGreaterThan(40);
});

test("what is read here would not pass if it said a thing twice, or told of our inside", () => {
  const bad = [
    "The attachment is too large. It It may have 10 bytes.",
    "It must must be.",
    'Error: relation "borsello.ticket" does not exist.',
    "TypeError: x at y.ts:1:2.",
    "It is undefined.",
    "a small beginning.",
    "No end",
  ];
  for (const text of bad) expect([text, descriptionFaults(text)]).not.toEqual([text, []]);
});
