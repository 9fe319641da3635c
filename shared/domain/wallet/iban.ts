/** An account by IBAN and BIC: the checks of the standard, of the Italian check letter (CIN) that it leaves out, of SEPA. */
import { electronicFormatIBAN, isValidIBAN } from "ibantools";
import { refusal, success, type Outcome } from "../outcome.js";
import { checkLetter } from "./check-letter.js";
import { bicFitsIban, isSepaIban } from "./sepa.js";

/** `country`: sound by itself, but no SEPA transfer or debit reaches it. */
export type IbanFault = "iban" | "cin" | "country";

/** Italy and San Marino share one account number: CIN, bank, branch, account. */
const countriesWithCin = ["IT", "SM"];
const cinPlace = 4;

/** Without spaces and hyphens, in upper case. */
export const normaliseIban = (iban: string): string => electronicFormatIBAN(iban) ?? "";

export const isItalianIban = (iban: string): boolean => iban.startsWith("IT");

/** The first fault of a normalised IBAN, or undefined for a sound one. */
export const ibanFault = (iban: string): IbanFault | undefined => {
  if (!isValidIBAN(iban)) return "iban";
  if (!isSepaIban(iban)) return "country";
  if (!countriesWithCin.includes(iban.slice(0, 2))) return undefined;
  return checkLetter(iban.slice(cinPlace + 1)) === iban.charAt(cinPlace) ? undefined : "cin";
};

export interface Account {
  readonly iban: string;
  /** Null for an Italian account, whose bank the IBAN itself names. */
  readonly bic: string | null;
}

export const checkedAccount = (
  given: string,
  givenBic: string | null,
): Outcome<Account, "IbanInvalid" | "BicRequired" | "BicInvalid"> => {
  const iban = normaliseIban(given);
  const fault = ibanFault(iban);
  if (fault !== undefined) return refusal("IbanInvalid", { iban: given, fault });
  const bic = givenBic?.toUpperCase() ?? null;
  if (bic === null)
    return isItalianIban(iban) ? success({ iban, bic }) : refusal("BicRequired", { iban });
  return bicFitsIban(bic, iban)
    ? success({ iban, bic })
    : refusal("BicInvalid", { bic, country: `is not the IBAN's, ${iban.slice(0, 2)}.` });
};
