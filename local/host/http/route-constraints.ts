/** The inline constraints of route templates (`{n:int}`, `{w:length(2,4)}`), as ASP.NET defines them. */
import { StartError } from "../../start-error.js";

export type Constraint = (value: string) => boolean;

const integerBetween =
  (min: bigint, max: bigint): Constraint =>
  (value) => {
    if (!/^[ \t]*[+-]?\d+[ \t]*$/.test(value)) return false;
    const number = BigInt(value.trim().replace(/^\+/, ""));
    return number >= min && number <= max;
  };

const int32 = integerBetween(-(2n ** 31n), 2n ** 31n - 1n);
const int64 = integerBetween(-(2n ** 63n), 2n ** 63n - 1n);
const decimalNumber = /^\s*[+-]?(\d[\d,]*\.?\d*|\.\d+)\s*$/;
const floatNumber = /^\s*([+-]?(\d[\d,]*\.?\d*|\.\d+)(e[+-]?\d+)?|NaN|-?Infinity)\s*$/i;
const guidDashed = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const isGuid: Constraint = (value) => {
  const inner = /^(?:\{(.*)\}|\((.*)\))$/.exec(value);
  if (inner !== null) return guidDashed.test(inner[1] ?? inner[2] ?? "");
  return guidDashed.test(value) || /^[0-9a-f]{32}$/i.test(value);
};

/** Only what begins like a date: Date.parse alone would take "5" or "x 1" for one. */
const isDateTime: Constraint = (value) =>
  /^\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?/.test(value) && !Number.isNaN(Date.parse(value));

const plain: Readonly<Record<string, Constraint>> = {
  int: int32,
  long: int64,
  bool: (value) => /^\s*(true|false)\s*$/i.test(value),
  guid: isGuid,
  datetime: isDateTime,
  decimal: (value) => decimalNumber.test(value),
  double: (value) => floatNumber.test(value),
  float: (value) => floatNumber.test(value),
  alpha: (value) => /^[a-z]*$/i.test(value),
  required: (value) => value !== "",
};

type WithNumbers = (...numbers: readonly bigint[]) => Constraint;
const withNumbers: Readonly<
  Record<string, { readonly arity: readonly number[]; make: WithNumbers }>
> = {
  min: {
    arity: [1],
    make:
      (min = 0n) =>
      (value) =>
        int64(value) && BigInt(value) >= min,
  },
  max: {
    arity: [1],
    make:
      (max = 0n) =>
      (value) =>
        int64(value) && BigInt(value) <= max,
  },
  range: {
    arity: [2],
    make:
      (min = 0n, max = 0n) =>
      (value) =>
        int64(value) && BigInt(value) >= min && BigInt(value) <= max,
  },
  minlength: {
    arity: [1],
    make:
      (min = 0n) =>
      (value) =>
        BigInt(value.length) >= min,
  },
  maxlength: {
    arity: [1],
    make:
      (max = 0n) =>
      (value) =>
        BigInt(value.length) <= max,
  },
  length: {
    arity: [1, 2],
    make:
      (min = 0n, max = min) =>
      (value) =>
        BigInt(value.length) >= min && BigInt(value.length) <= max,
  },
};

/** Reads one constraint: a name, or a name with arguments in parentheses. */
export const parseConstraint = (text: string): Constraint => {
  const [, name = "", argument] = /^([A-Za-z]+)(?:\((.*)\))?$/s.exec(text) ?? [];
  const key = name.toLowerCase();
  const bare = plain[key];
  if (bare !== undefined && argument === undefined) return bare;
  if (key === "regex" && argument !== undefined) {
    const pattern = new RegExp(argument, "i");
    return (value) => pattern.test(value);
  }
  const counted = withNumbers[key];
  const numbers = argument?.split(",").map((part) => part.trim()) ?? [];
  if (counted?.arity.includes(numbers.length) !== true || !numbers.every((n) => /^-?\d+$/.test(n)))
    throw new StartError(`"${text}" is not a route constraint that this host knows.`);
  return counted.make(...numbers.map(BigInt));
};
