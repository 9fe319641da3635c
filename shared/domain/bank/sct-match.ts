/** Decides whether an incoming transfer validates a wallet's IBAN: code, IBAN, name, amount. */
import { plainLetters } from "../wallet/names.js";

export interface IncomingSct {
  readonly reason: string;
  readonly debtorIban: string;
  readonly debtorName: string;
  readonly amountCents: bigint;
}

export interface ExpectedSct {
  readonly code: string;
  readonly iban: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly transferAmountCents: bigint;
}

export type SctRule = "Code" | "DebtorIban" | "DebtorName" | "Amount";

const codeLength = 8;

/** As codes and IBANs are compared: without spaces, in upper case. */
export const compact = (text: string): string => text.replace(/\s+/gu, "").toUpperCase();

/** Every text of a code's length in the reason: one of them is the code, if the payer wrote it. */
export const possibleCodes = (reason: string): string[] => {
  const text = compact(reason);
  const codes = new Set<string>();
  for (let start = 0; start + codeLength <= text.length; start += 1) {
    codes.add(text.slice(start, start + codeLength));
  }
  return [...codes].filter((code) => /^[A-Z0-9]+$/.test(code));
};

/** A name's words as plain letters, in alphabetical order. */
const nameWords = (name: string): string =>
  name
    .split(/\s+/u)
    .map(plainLetters)
    .filter((word) => word !== "")
    .sort()
    .join(" ");

/** Banks write "ROSSI MARIA" as readily as "Maria Rossi", and few keep the accents. */
export const sameName = (left: string, right: string): boolean => {
  const words = nameWords(left);
  return words !== "" && words === nameWords(right);
};

/** The first rule that fails, in the order in which a person would look; undefined when all hold. */
export const failedRule = (sct: IncomingSct, expected: ExpectedSct): SctRule | undefined => {
  if (!compact(sct.reason).includes(compact(expected.code))) return "Code";
  if (compact(sct.debtorIban) !== compact(expected.iban)) return "DebtorIban";
  if (!sameName(sct.debtorName, `${expected.firstName} ${expected.lastName}`)) return "DebtorName";
  if (sct.amountCents !== expected.transferAmountCents) return "Amount";
  return undefined;
};

/** What an operator reads on a notification that stays Received. */
export const feedbackOf: Readonly<Record<SctRule, string>> = {
  Code: "Code: the reason does not contain the wallet's validation code",
  DebtorIban: "DebtorIban: the debtor's IBAN is not the one that the wallet has set",
  DebtorName: "DebtorName: the debtor's name is not the wallet holder's",
  Amount: "Amount: the amount is not the one that the instructions name",
};
