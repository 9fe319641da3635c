/** Customers for the demo, benches and tests: any number, each with a sound tax id and IBAN of its own. */
import { checkLetter } from "../../shared/domain/wallet/check-letter.js";
import { firstNameTriplet, lastNameTriplet } from "../../shared/domain/wallet/names.js";

export interface Customer {
  /** The body of a create call. */
  readonly owner: {
    readonly taxId: string;
    readonly firstName: string;
    readonly lastName: string;
    readonly phoneNumber: string;
    readonly email: string;
    readonly originatingDealerKey: string;
  };
  readonly iban: string;
}

const firstNames = ["Anna", "Bruno", "Chiara", "Dario", "Elena", "Fabio", "Giulia", "Niccolò"];
const lastNames = ["Bianchi", "Colombo", "D'Angelo", "Esposito", "Ferri", "Gallo", "Lo Presti"];
const monthLetters = "ABCDEHLMPRST";
const towns = ["H501", "F205", "L219", "D612", "A944", "G273"];

const pick = <T>(list: readonly T[], index: number, fallback: T): T =>
  list[index % list.length] ?? fallback;

const padded = (value: number, width: number): string => String(value).padStart(width, "0");

/** 28 days × 12 months × 60 years × 6 towns; after so many customers the names move on by one. */
const birthsMax = 28 * 12 * 60 * 6;

const taxIdOf = (index: number, firstName: string, lastName: string): string => {
  const day = 1 + (index % 28);
  const month = Math.floor(index / 28) % 12;
  const year = 40 + (Math.floor(index / (28 * 12)) % 60);
  const town = pick(towns, Math.floor(index / (28 * 12 * 60)), "H501");
  const body =
    lastNameTriplet(lastName) +
    firstNameTriplet(firstName) +
    padded(year, 2) +
    (monthLetters[month] ?? "A") +
    padded(day, 2) +
    town;
  return body + checkLetter(body);
};

/** Mod 97 of ISO 13616 over the rearranged account, letters as 10 to 35. */
const checkDigits = (country: string, account: string): string => {
  const digits = Array.from(`${account}${country}00`)
    .map((character) => Number.parseInt(character, 36).toString())
    .join("");
  return padded(98 - Number(BigInt(digits) % 97n), 2);
};

const italianIban = (index: number): string => {
  const account = `0542811101${padded(index, 12)}`;
  const withCin = checkLetter(account) + account;
  return `IT${checkDigits("IT", withCin)}${withCin}`;
};

/** The customer of a number, at acme's dealer: the same number gives the same person. */
export const customer = (index: number): Customer => {
  const firstName = pick(firstNames, index + Math.floor(index / birthsMax), "Anna");
  const lastName = pick(lastNames, Math.floor(index / 8), "Bianchi");
  return {
    owner: {
      taxId: taxIdOf(index, firstName, lastName),
      firstName,
      lastName,
      phoneNumber: `+39333${padded(index % 10_000_000, 7)}`,
      email: `customer${index}@example.com`,
      originatingDealerKey: "dealer-rome",
    },
    iban: italianIban(index),
  };
};
