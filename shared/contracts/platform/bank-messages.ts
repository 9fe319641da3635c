/** What platform and bank tell each other through queues (contract 0.3). */
import { z } from "zod";
import { centsOf } from "../../domain/money.js";

/** The largest amount that SEPA credit transfers and direct debits carry (EPC implementation guidelines). */
const largestAmount = 999_999_999.99;

/** A positive amount with at most two decimals. */
export const BankAmount = z
  .number()
  .positive()
  .max(largestAmount)
  .refine((amount) => centsOf(amount) !== undefined, { error: "must have at most two decimals" });

/** Text that can be stored: no NUL character, no half of a surrogate pair. */
const BankText = z
  .string()
  .max(1_000, { abort: true })
  .regex(/^[^\0\p{Cs}]*$/u, "must not hold characters that no text may hold");
const BankName = BankText.min(1);
/** Short enough for an index, whatever alphabet it is in. */
const BankReference = BankText.max(255);

/** Dates before this year are a sender's default value, and the first ones no database can store. */
const firstYear = "1900";
const isPlausible = (date: string): boolean => date >= firstYear;
const implausible = { error: "must not lie before 1900" };

/** A moment in any offset, kept in UTC. */
const BankDateTime = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text).toISOString())
  .refine(isPlausible, implausible);

export const bankNotificationTypes = [
  "IncomingSctStandard",
  "IncomingSctInstant",
  "IncomingReconciliation",
  "IncomingSdd",
] as const;
export type BankNotificationType = (typeof bankNotificationTypes)[number];

/** Queue `bank-notifications`: a credit arrived. Fields that we do not know are the bank's business. */
export const BankNotificationMessage = z.object({
  type: z.enum(bankNotificationTypes),
  transactionReference: BankReference.min(1),
  paymentGatewayReference: BankReference.min(1).nullable().default(null),
  debtorName: BankName,
  debtorIban: BankName,
  creditorName: BankText.nullable().default(null),
  creditorIban: BankName,
  amount: BankAmount,
  reason: BankText,
  receptionDate: BankDateTime,
});
export type BankNotificationMessage = z.infer<typeof BankNotificationMessage>;

export const bankRequestKinds = [
  "transfer",
  "payment",
  "mandateActivation",
  "mandateRevocation",
  "directDebit",
  "return",
] as const;
export type BankRequestKind = (typeof bankRequestKinds)[number];

/** Queue `bank-requests`: the kind's own fields lie beside these. */
export const BankRequestMessage = z.looseObject({
  requestId: z.uuid(),
  kind: z.enum(bankRequestKinds),
  amount: z.number().optional(),
});
export type BankRequestMessage = z.infer<typeof BankRequestMessage>;

/** Queue `bank-outcomes`: how far the bank is with a request. */
export const BankOutcomeMessage = z.object({
  requestId: z.uuid(),
  outcome: z.enum(["accepted", "booked", "refused", "returned"]),
  /** ISO reason code of a refusal or a return. */
  reasonCode: BankText.nullable().default(null),
  transactionReference: BankReference.nullable().default(null),
  bookingDate: z.iso.date().refine(isPlausible, implausible).nullable().default(null),
});
export type BankOutcomeMessage = z.infer<typeof BankOutcomeMessage>;

export const bankQueues = {
  notifications: "bank-notifications",
  outcomes: "bank-outcomes",
  requests: "bank-requests",
  /** Where the bank is talked to by files: what is asked of it for mandates, for which there is no file. */
  mandateRequests: "bank-mandate-requests",
} as const;
