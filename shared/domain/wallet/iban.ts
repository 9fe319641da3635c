/** IBAN and BIC: the checks of the standard, and of the Italian check letter (CIN) that it leaves out. */
import { electronicFormatIBAN, isValidBIC, isValidIBAN } from "ibantools";
import { checkLetter } from "./check-letter.js";

export type IbanFault = "iban" | "cin" | "bic";

/** Italy and San Marino share one account number: CIN, bank, branch, account. */
const countriesWithCin = ["IT", "SM"];
const cinPlace = 4;

/** Without spaces and hyphens, in upper case. */
export const normaliseIban = (iban: string): string => electronicFormatIBAN(iban) ?? "";

export const isItalianIban = (iban: string): boolean => iban.startsWith("IT");

/** The first fault of a normalised IBAN, or undefined for a sound one. */
export const ibanFault = (iban: string): Exclude<IbanFault, "bic"> | undefined => {
  if (!isValidIBAN(iban)) return "iban";
  if (!countriesWithCin.includes(iban.slice(0, 2))) return undefined;
  return checkLetter(iban.slice(cinPlace + 1)) === iban.charAt(cinPlace) ? undefined : "cin";
};

export const isBic = (bic: string): boolean => isValidBIC(bic.toUpperCase());
