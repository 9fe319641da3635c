/** What an error says, as it may stand in a log: in bounds, and without what is nobody's business. */
import { inspect } from "node:util";

/** Longer than any sentence that somebody wrote for a reader. */
const charactersMax = 1_000;

const jwt = /\beyJ[\w-]+\.[\w-]+\.[\w-]*/gu;
const bearer = /\b(Bearer|Basic)\s+[\w.~+/=-]+/giu;
const named =
  /\b(password|passwd|pwd|pin|cvv|cvc|secret|token|\w*[-_]?key|client_secret|authorization|sig)(["']?\s*[=:]\s*["']?)[^\s"',;&]+/giu;
const keyInAddress = /([?&]code=)[^&\s"']+/giu;
const passwordInAddress = /(\w+:\/\/[^:/@\s]*):[^@\s]+@/gu;
const iban = /\b([A-Z]{2}\d{2})[A-Z0-9]{7,26}([A-Z0-9]{4})\b/gu;
/** Card numbers, grouped or not. */
const digits = /\b\d(?:[ -]?\d){12,18}\b/gu;

/** ISO/IEC 7812: every second digit from the right counts twice. */
const isCardNumber = (text: string): boolean => {
  let sum = 0;
  for (const [index, digit] of Array.from(text.replace(/\D/gu, "")).reverse().entries()) {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
};

export const logText = (text: string): string => {
  const kept = text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
  return kept
    .replace(bearer, "$1 …")
    .replace(jwt, "…")
    .replace(keyInAddress, "$1…")
    .replace(passwordInAddress, "$1:…@")
    .replace(named, "$1$2…")
    .replace(iban, "$1…$2")
    .replace(digits, (number) => (isCardNumber(number) ? `…${number.slice(-4)}` : number));
};

/** Type and message of whatever was thrown. Never throws itself. */
export const errorLine = (thrown: unknown): string => {
  try {
    if (thrown instanceof Error)
      return logText(thrown.message === "" ? thrown.name : `${thrown.name}: ${thrown.message}`);
    if (typeof thrown === "string") return logText(thrown);
    return logText(inspect(thrown, { customInspect: false, depth: 1, breakLength: Infinity }));
  } catch {
    return "a value that has no text form";
  }
};
