/** SQL filters of subscriptions: conditions over system and user properties, with unknown as in SQL. */
import { randomUUID } from "node:crypto";
import type { FieldValue, MessageFields } from "./fields.js";
import { likeMatcher } from "./like.js";
import { filterError, tokensOf, type Token } from "./sql-tokens.js";

export type Expression = (fields: MessageFields) => FieldValue;

const compare: Readonly<Record<string, (a: string | number, b: string | number) => boolean>> = {
  "=": (a, b) => a === b,
  "<>": (a, b) => a !== b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

const calculate: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
};

/** What texts may grow to by being put together; a property of a message has no more. */
const textCharactersMax = 32_767;

const comparable = (value: Exclude<FieldValue, null>): string | number =>
  typeof value === "boolean" ? Number(value) : value;

/** Unknown where a side is, or where the types differ: a text is neither above nor below a number. */
const comparison =
  (symbol: string, left: Expression, right: Expression): Expression =>
  (fields) => {
    const [a, b] = [left(fields), right(fields)];
    if (a === null || b === null || typeof a !== typeof b) return null;
    return compare[symbol]?.(comparable(a), comparable(b)) ?? null;
  };

const arithmetic =
  (symbol: string, left: Expression, right: Expression): Expression =>
  (fields) => {
    const [a, b] = [left(fields), right(fields)];
    if (symbol === "+" && typeof a === "string" && typeof b === "string")
      return a.length + b.length > textCharactersMax ? null : a + b;
    return typeof a === "number" && typeof b === "number"
      ? (calculate[symbol]?.(a, b) ?? null)
      : null;
  };

const and =
  (left: Expression, right: Expression): Expression =>
  (fields) => {
    const [a, b] = [left(fields), right(fields)];
    if (a === false || b === false) return false;
    return a === true && b === true ? true : null;
  };

const or =
  (left: Expression, right: Expression): Expression =>
  (fields) => {
    const [a, b] = [left(fields), right(fields)];
    if (a === true || b === true) return true;
    return a === false && b === false ? false : null;
  };

const not =
  (operand: Expression): Expression =>
  (fields) => {
    const value = operand(fields);
    return typeof value === "boolean" ? !value : null;
  };

export interface PropertyName {
  readonly scope: "user" | "sys";
  readonly name: string;
}

/** Precedence from loose to tight: or, and, not, comparison, sum, product, sign, value. */
export class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Expression {
    const expression = this.#or();
    if (this.#at < this.#tokens.length) throw filterError("text is left after its end");
    return expression;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  /** A value: anything that a condition compares. */
  value(): Expression {
    return this.#sum();
  }

  /** The name of a property as it is written, and its scope. */
  propertyName(): PropertyName {
    const first = this.#name();
    if (this.symbol(".") === undefined) return { scope: "user", name: first };
    const scope = first.toLowerCase();
    if (scope === "user" || scope === "sys") return { scope, name: this.#name() };
    throw filterError(`${first} is not a scope of properties`);
  }

  #or(): Expression {
    let left = this.#and();
    while (this.word("or")) left = or(left, this.#and());
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.word("and")) left = and(left, this.#not());
    return left;
  }

  #not(): Expression {
    return this.word("not") ? not(this.#not()) : this.#condition();
  }

  #condition(): Expression {
    if (this.word("exists")) return this.#exists();
    const left = this.#sum();
    const symbol = this.symbol(...Object.keys(compare));
    if (symbol !== undefined) return comparison(symbol, left, this.#sum());
    if (this.word("is")) {
      const negated = this.word("not");
      this.#expectWord("null");
      return (fields) => (left(fields) === null) !== negated;
    }
    const negated = this.word("not");
    const condition = this.word("in")
      ? this.#in(left)
      : this.word("like")
        ? this.#like(left)
        : undefined;
    if (condition !== undefined) return negated ? not(condition) : condition;
    if (negated) throw filterError("not must be followed by in or like here");
    return left;
  }

  #exists(): Expression {
    this.#expectSymbol("(");
    const property = this.#property();
    this.#expectSymbol(")");
    return (fields) => property(fields) !== null;
  }

  #in(left: Expression): Expression {
    this.#expectSymbol("(");
    let found = comparison("=", left, this.#sum());
    while (this.symbol(",") !== undefined) found = or(found, comparison("=", left, this.#sum()));
    this.#expectSymbol(")");
    return found;
  }

  #like(left: Expression): Expression {
    const pattern = this.#text();
    const matches = likeMatcher(pattern, this.word("escape") ? this.#text() : null);
    return (fields) => {
      const value = left(fields);
      return typeof value === "string" ? matches(value) : null;
    };
  }

  #sum(): Expression {
    let left = this.#product();
    for (let symbol; (symbol = this.symbol("+", "-")) !== undefined;)
      left = arithmetic(symbol, left, this.#product());
    return left;
  }

  #product(): Expression {
    let left = this.#signed();
    for (let symbol; (symbol = this.symbol("*", "/", "%")) !== undefined;)
      left = arithmetic(symbol, left, this.#signed());
    return left;
  }

  #signed(): Expression {
    if (this.symbol("-") !== undefined) return arithmetic("-", () => 0, this.#signed());
    if (this.symbol("+") !== undefined) return this.#signed();
    return this.#value();
  }

  #value(): Expression {
    if (this.symbol("(") !== undefined) {
      const inner = this.#or();
      this.#expectSymbol(")");
      return inner;
    }
    const token = this.#tokens[this.#at];
    if (token?.kind === "text" || token?.kind === "number") {
      this.#at += 1;
      return () => token.value;
    }
    if (this.word("true")) return () => true;
    if (this.word("false")) return () => false;
    if (this.word("null")) return () => null;
    return this.#property();
  }

  /** `newid()`, and `p(name)` with its long form, are the functions that there are. */
  #property(): Expression {
    const { scope, name } = this.propertyName();
    if (scope === "user" && this.symbol("(") !== undefined) return this.#call(name.toLowerCase());
    const key = name.toLowerCase();
    return ({ user, system }) => (scope === "user" ? user : system).get(key) ?? null;
  }

  #call(called: string): Expression {
    if (called === "newid") {
      this.#expectSymbol(")");
      return () => randomUUID();
    }
    if (called !== "p" && called !== "property") throw filterError(`there is no ${called}()`);
    const token = this.#tokens[this.#at];
    const key = (token?.kind === "text" ? this.#text() : this.#name()).toLowerCase();
    this.#expectSymbol(")");
    return (fields) => fields.user.get(key) ?? null;
  }

  #name(): string {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "word" && token?.kind !== "name")
      throw filterError("the name of a property is missing");
    this.#at += 1;
    return token.text;
  }

  #text(): string {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "text") throw filterError("a text in quotes is missing");
    this.#at += 1;
    return token.value;
  }

  word(word: string): boolean {
    const token = this.#tokens[this.#at];
    const found = token?.kind === "word" && token.text.toLowerCase() === word;
    if (found) this.#at += 1;
    return found;
  }

  symbol(...symbols: readonly string[]): string | undefined {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "symbol" || !symbols.includes(token.text)) return undefined;
    this.#at += 1;
    return token.text;
  }

  #expectWord(word: string): void {
    if (!this.word(word)) throw filterError(`${word} is missing`);
  }

  #expectSymbol(symbol: string): void {
    if (this.symbol(symbol) === undefined) throw filterError(`${symbol} is missing`);
  }
}

/** As the service has it (quotas: the length of a filter's condition). */
export const expressionCharactersMax = 1_024;

/** Compiles an expression; only a condition that is true lets a message pass, not one unknown. */
export const parseSqlFilter = (expression: string): ((fields: MessageFields) => boolean) => {
  if (expression.length > expressionCharactersMax)
    throw filterError(`it has more than ${expressionCharactersMax} characters`);
  const condition = new Parser(tokensOf(expression)).parse();
  return (fields) => condition(fields) === true;
};
