/** Actions of rules: SET and REMOVE, on the copy that a matching rule makes of a message. */
import { types, type Typed } from "../wire/rhea.js";
import { rewritten, type MessageParts } from "../wire/rewriting.js";
import type { ParsedMessage } from "../wire/sections.js";
import { systemIndexes, type FieldValue, type MessageFields } from "./fields.js";
import { expressionCharactersMax, Parser, type Expression } from "./sql-filter.js";
import { filterError, tokensOf } from "./sql-tokens.js";

/** The copy as the actions leave it. */
export type Action = (
  message: ParsedMessage,
  fields: MessageFields,
  ruleName: string,
) => ParsedMessage;

interface Statement {
  /** The index of a system property; undefined for one of the user's. */
  readonly index: number | undefined;
  readonly name: string;
  /** Undefined removes it. */
  readonly value: Expression | undefined;
}

const statementsMax = 32;

const typedOf = (value: Exclude<FieldValue, null>): Typed => {
  if (typeof value === "string") return types.wrap_string(value);
  if (typeof value === "boolean") return types.wrap_boolean(value);
  return Number.isSafeInteger(value) ? types.Long(value) : types.wrap_double(value);
};

const systemIndex = (name: string): number => {
  const index = new Map<string, number>(Object.entries(systemIndexes)).get(name.toLowerCase());
  if (index === undefined) throw filterError(`sys.${name} cannot be set or removed`);
  return index;
};

const statementOf = (parser: Parser): Statement => {
  const sets = parser.word("set");
  if (!sets && !parser.word("remove")) throw filterError("an action begins with SET or REMOVE");
  const { scope, name } = parser.propertyName();
  const index = scope === "sys" ? systemIndex(name) : undefined;
  if (!sets) return { index, name, value: undefined };
  if (parser.symbol("=") === undefined) throw filterError("= is missing");
  return { index, name, value: parser.value() };
};

const statementsOf = (expression: string): Statement[] => {
  if (expression.length > expressionCharactersMax)
    throw filterError(`it has more than ${expressionCharactersMax} characters`);
  const parser = new Parser(tokensOf(expression));
  const statements: Statement[] = [];
  do statements.push(statementOf(parser));
  while (parser.symbol(";") !== undefined && !parser.isAtEnd);
  if (!parser.isAtEnd) throw filterError("; is missing between two statements");
  if (statements.length > statementsMax)
    throw filterError(`an action has ${statementsMax} statements at most`);
  return statements;
};

/** As long as an id may be: the sender is not to blame for what somebody's rule makes of its message. */
const systemTextMax = 128;
const systemText = (found: Exclude<FieldValue, null>): string =>
  String(found).replaceAll("\0", "").slice(0, systemTextMax);

/** A system property is a text; what is null, or unknown, is none. */
const apply = (
  { index, name, value }: Statement,
  found: FieldValue,
  { properties, applicationProperties }: MessageParts,
): void => {
  if (index !== undefined) {
    properties[index] = found === null ? undefined : types.wrap_string(systemText(found));
    return;
  }
  const isSame = (key: string): boolean => key.toLowerCase() === name.toLowerCase();
  const known = [...applicationProperties.keys()].find(isSame);
  if (value === undefined || found === null) {
    if (known !== undefined) applicationProperties.delete(known);
  } else applicationProperties.set(known ?? name, typedOf(found));
};

/** Throws where the expression cannot be understood. Each statement sees what those before it did. */
export const parseSqlAction = (expression: string): Action => {
  const statements = statementsOf(expression);
  return (message, fields, ruleName) => {
    const system = new Map(fields.system);
    const user = new Map(fields.user);
    return rewritten(message, (parts) => {
      for (const statement of statements) {
        const found = statement.value?.({ system, user }) ?? null;
        const { index, name } = statement;
        if (index === undefined) user.set(name.toLowerCase(), found);
        else
          for (const [key, at] of Object.entries(systemIndexes))
            if (at === index) system.set(key, found === null ? null : systemText(found));
        apply(statement, found, parts);
      }
      parts.applicationProperties.set("RuleName", types.wrap_string(ruleName));
    });
  };
};
