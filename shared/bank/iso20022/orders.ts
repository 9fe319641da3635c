/** What is written into files for the bank: checked once, with a sentence for whatever does not fit. */
import { z } from "zod";
import { isCreditorIdentifier } from "../../domain/bank/creditor-identifier.js";
import { isLegible, isSepaIdentifier, sepaText } from "./sepa-text.js";

/** The scheme's longest texts. */
const nameMax = 70;
const remittanceMax = 140;
/** 999,999,999.99, the most that one transfer or collection carries. */
const centsMax = 99_999_999_999n;

const Iban = z
  .string()
  .max(100, { abort: true })
  .transform((text) => text.replaceAll(/\s/g, "").toUpperCase())
  .refine((text) => /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text), "must be an IBAN");
const Name = z
  .string()
  .max(1_000, { abort: true })
  .transform((text) => sepaText(text, nameMax))
  .refine(isLegible, "must have a letter or digit that the area's banks can write");
const Remittance = z
  .string()
  .max(1_000, { abort: true })
  .transform((text) => sepaText(text, remittanceMax));
const Identifier = z
  .string()
  .refine(isSepaIdentifier, "must have 1 to 35 of the area's characters, no slash at an end");
const Cents = z.bigint().min(1n).max(centsMax);

/** A transfer from an account of the partner's; the end-to-end id is what the bank's answers name. */
export const CreditTransferOrder = z.object({
  endToEndId: Identifier,
  cents: Cents,
  creditorName: Name,
  creditorIban: Iban,
  remittance: Remittance,
});
export type CreditTransferOrder = z.output<typeof CreditTransferOrder>;

/** A collection by a mandate of the Core scheme. */
export const DirectDebitOrder = z.object({
  endToEndId: Identifier,
  cents: Cents,
  mandateId: Identifier,
  signatureDate: z.iso.date(),
  debtorName: Name,
  debtorIban: Iban,
  remittance: Remittance,
});
export type DirectDebitOrder = z.output<typeof DirectDebitOrder>;

/** As orders are kept until their file is written: JSON has no integers of that size, so cents are digits. */
const KeptCents = z
  .string()
  .regex(/^\d{1,18}$/)
  .transform(BigInt);
export const KeptCreditTransfer = CreditTransferOrder.extend({ cents: KeptCents });
export const KeptDirectDebit = DirectDebitOrder.extend({ cents: KeptCents });

/** The partner's side of a file: all orders of one are for one account and one day. */
export const OwnAccount = z.object({ name: Name, iban: Iban });
export type OwnAccount = z.output<typeof OwnAccount>;

export const CreditorAccount = OwnAccount.extend({
  identifier: z.string().max(35).refine(isCreditorIdentifier, "must be a creditor identifier"),
});
export type CreditorAccount = z.output<typeof CreditorAccount>;

export interface FileHeader {
  /** At most 35 characters; the bank takes a file once by it. */
  readonly messageId: string;
  /** ISO date and time, in UTC. */
  readonly createdAt: string;
  /** On which the bank is to transfer or collect: `2026-11-20`. */
  readonly day: string;
}
