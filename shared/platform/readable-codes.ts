/** Codes that people read aloud and copy: letters and digits that nobody mistakes. */
import { randomInt } from "node:crypto";

/** Without 0 and O, 1, I and L, and without U, so that no code reads as a word one would not print. */
const alphabet = "23456789ABCDEFGHJKMNPQRSTVWXYZ";

const letters = (length: number): string =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join("");

/** What a customer writes into a transfer's reason. */
export const newValidationCode = (): string => letters(8);

/** A ticket's number: of 59 random bits, so that nobody finds another's by counting. */
export const newCaseNumber = (): string => `CAS-${letters(4)}-${letters(4)}-${letters(4)}`;
