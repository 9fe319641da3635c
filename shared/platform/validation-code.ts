/** Codes that people copy into a transfer's reason: letters and digits that nobody mistakes. */
import { randomInt } from "node:crypto";

/** Without 0 and O, 1, I and L, and without U, so that no code reads as a word one would not print. */
const alphabet = "23456789ABCDEFGHJKMNPQRSTVWXYZ";
const codeLength = 8;

export const newValidationCode = (): string =>
  Array.from({ length: codeLength }, () => alphabet.charAt(randomInt(alphabet.length))).join("");
