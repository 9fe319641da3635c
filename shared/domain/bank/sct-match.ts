/** Decides whether an incoming transfer validates a wallet's IBAN: code, IBAN, amount, name, wallet. */
import { amountOf } from "../money.js";
import { debtorNameFits } from "../wallet/debtor-name.js";

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
  readonly walletStatus: string;
}

/** In the order in which they are looked at: the last two may hold later, when the others do. */
export type SctRule = "Code" | "DebtorIban" | "Amount" | "DebtorName" | "Wallet";

export interface Mismatch {
  readonly rule: SctRule;
  /** What a person reads on a notification that stays Received: the rule, and what would fit. */
  readonly feedback: string;
}

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

const euros = (cents: bigint): string => amountOf(cents).toFixed(2);

const mismatch = (rule: SctRule, sentence: string): Mismatch => ({
  rule,
  feedback: `${rule}: ${sentence}`,
});

/** The first rule that fails; undefined when all hold. More than the amount that is asked for fits, too. */
export const mismatchOf = (sct: IncomingSct, expected: ExpectedSct): Mismatch | undefined => {
  const { code, iban, firstName, lastName, transferAmountCents, walletStatus } = expected;
  if (!compact(sct.reason).includes(compact(code)))
    return mismatch("Code", `the reason does not hold the code; ${code} would fit`);
  if (compact(sct.debtorIban) !== compact(iban))
    return mismatch("DebtorIban", `the transfer came from another account; ${iban} would fit`);
  if (sct.amountCents < transferAmountCents)
    return mismatch(
      "Amount",
      `${euros(sct.amountCents)} is too little; ${euros(transferAmountCents)} or more would fit`,
    );
  if (!debtorNameFits(sct.debtorName, expected))
    return mismatch(
      "DebtorName",
      `the debtor's name is not the wallet holder's; one that holds ${firstName} and ${lastName} would fit`,
    );
  return walletStatus === "Active"
    ? undefined
    : mismatch(
        "Wallet",
        `the wallet is ${walletStatus}, so nothing can be credited to it; an Active one would fit`,
      );
};
