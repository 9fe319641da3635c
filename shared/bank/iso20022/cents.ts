/** Amounts of ISO 20022 messages: exact decimals in text, bigint cents inside, no double in between. */
import { BankFileError } from "./bank-file-error.js";

/** As the standard has it: at most eighteen digits, at most five of them after the point. */
const decimal = /^\+?(?<whole>\d{0,18})(?:\.(?<fraction>\d{0,5}))?$/;

/** Ten billions: far above what is on any account, far below what the database can add up. */
const centsMax = 10n ** 15n;

/** `12.3` is 1230 cents; parts of a cent are refused, as no account in euro has them. */
export const centsOfText = (text: string, place: string): bigint => {
  const { whole = "", fraction = "" } = decimal.exec(text.trim())?.groups ?? {};
  const parts = fraction.slice(2);
  if (whole + fraction === "" || /[^0]/.test(parts))
    throw new BankFileError(`${place} must be an amount with at most two decimals.`);
  const cents = BigInt(whole + fraction.slice(0, 2).padEnd(2, "0"));
  if (cents > centsMax) throw new BankFileError(`${place} is larger than any amount in euro.`);
  return cents;
};

/** Cents as the messages write them: `12.30`. */
export const textOfCents = (cents: bigint): string => {
  const digits = cents.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
};
