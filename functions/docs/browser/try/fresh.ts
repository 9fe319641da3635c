/** Values that nobody has had yet, of the kinds that the platform wants to be unique, with right check letters. */
import { checkLetter } from "../../../../shared/domain/wallet/check-letter.js";

const below = (limit: number): number =>
  Math.floor((crypto.getRandomValues(new Uint32Array(1)).at(0) ?? 0) % limit);

const oneOf = (list: string): string => list.charAt(below(list.length));

const digits = (count: number): string => Array.from({ length: count }, () => below(10)).join("");

const hex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

/** 32 characters: right for a body's key and for the header. */
export const freshKey = (): string => hex(16);

const months = "ABCDEHLMPRST";
const towns = ["H501", "F205", "L219", "A562", "D612"];

/** Of another person of the same name: born elsewhere on another day. */
const taxId = (example: string): string => {
  const year = String(40 + below(60));
  const day = String(1 + below(28)).padStart(2, "0");
  const town = towns[below(towns.length)] ?? "H501";
  const text = `${example.slice(0, 6)}${year}${oneOf(months)}${day}${town}`;
  return `${text}${checkLetter(text)}`;
};

const mod97 = (text: string): number =>
  Array.from(text).reduce((rest, character) => Number(`${rest}${parseInt(character, 36)}`) % 97, 0);

/** Another account at the same bank: IT, two check digits, a check letter, bank and branch, the account. */
const iban = (example: string): string => {
  const account = `${example.slice(5, 15)}${digits(12)}`;
  const basic = `${checkLetter(account)}${account}`;
  return `IT${String(98 - mod97(`${basic}IT00`)).padStart(2, "0")}${basic}`;
};

/** Who asks about a payment names it; 128 bits as ids are written. */
const id = (): string =>
  freshKey().replace(/(.{8})(.{4}).(.{3}).(.{3})(.{12})/, "$1-$2-4$3-8$4-$5");

const dayMs = 24 * 60 * 60_000;
const clearableDays = 10_000;

/** Each day is cleared once: one of many that have passed. */
const pastDay = (example: string): string =>
  new Date(Date.now() - (1 + below(clearableDays)) * dayMs).toISOString().slice(0, example.length);

const numbered = (example: string): string => `${example.replace(/\d+$/, "")}${digits(6)}`;

const kinds = new Map<string, (example: string) => string>([
  ["taxId", taxId],
  ["iban", iban],
  ["ownerIban", iban],
  ["transactionId", id],
  ["email", (example) => example.replace("@", `+${digits(8)}@`)],
  ["code", numbered],
  ["mandateUniqueReference", numbered],
  ["clearingDate", pastDay],
]);

/** A value in place of the example's; undefined of a property that may well be the same for all. */
export const freshValue = (property: string, example: string): string | undefined =>
  kinds.get(property)?.(example);
