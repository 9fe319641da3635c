/** IBAN and BIC: the checks of the standard, and of the Italian check letter (CIN) that it leaves out. */
import { electronicFormatIBAN, isValidBIC, isValidIBAN } from "ibantools";
import { refusal, success, type Outcome } from "../outcome.js";
import { checkLetter } from "./check-letter.js";

export type IbanFault = "iban" | "cin";

/** Italy and San Marino share one account number: CIN, bank, branch, account. */
const countriesWithCin = ["IT", "SM"];
const cinPlace = 4;

/** Without spaces and hyphens, in upper case. */
export const normaliseIban = (iban: string): string => electronicFormatIBAN(iban) ?? "";

export const isItalianIban = (iban: string): boolean => iban.startsWith("IT");

/** The first fault of a normalised IBAN, or undefined for a sound one. */
export const ibanFault = (iban: string): IbanFault | undefined => {
  if (!isValidIBAN(iban)) return "iban";
  if (!countriesWithCin.includes(iban.slice(0, 2))) return undefined;
  return checkLetter(iban.slice(cinPlace + 1)) === iban.charAt(cinPlace) ? undefined : "cin";
};

export const isBic = (bic: string): boolean => isValidBIC(bic.toUpperCase());

export interface Account {
  readonly iban: string;
  /** Null for an Italian account, whose bank the IBAN itself names. */
  readonly bic: string | null;
}

export const checkedAccount = (
  given: string,
  bic: string | null,
): Outcome<Account, "IbanInvalid" | "BicRequired"> => {
  const iban = normaliseIban(given);
  const fault = ibanFault(iban);
  if (fault !== undefined) return refusal("IbanInvalid", { iban: given, fault });
  if (bic === null && !isItalianIban(iban)) return refusal("BicRequired", { iban });
  return success({ iban, bic: bic?.toUpperCase() ?? null });
};
