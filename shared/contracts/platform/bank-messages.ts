/** What platform and bank tell each other through queues (contract 0.3). */
import { z } from "zod";
import { centsOf } from "../../domain/money.js";

/** A positive amount with at most two decimals. */
export const BankAmount = z
  .number()
  .positive()
  .refine((amount) => centsOf(amount) !== undefined, { error: "has more than two decimals" });

export const bankNotificationTypes = [
  "IncomingSctStandard",
  "IncomingSctInstant",
  "IncomingReconciliation",
  "IncomingSdd",
] as const;

/** Queue `bank-notifications`: a credit arrived. Fields that we do not know are the bank's business. */
export const BankNotificationMessage = z.object({
  type: z.enum(bankNotificationTypes),
  transactionReference: z.string().min(1),
  paymentGatewayReference: z.string().min(1).nullable().default(null),
  debtorName: z.string().min(1),
  debtorIban: z.string().min(1),
  creditorName: z.string().nullable().default(null),
  creditorIban: z.string().min(1),
  amount: BankAmount,
  reason: z.string(),
  receptionDate: z.iso.datetime({ offset: true }),
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
  reasonCode: z.string().nullable().default(null),
  transactionReference: z.string().nullable().default(null),
  bookingDate: z.iso.date().nullable().default(null),
});
export type BankOutcomeMessage = z.infer<typeof BankOutcomeMessage>;

export const bankQueues = {
  notifications: "bank-notifications",
  outcomes: "bank-outcomes",
  requests: "bank-requests",
} as const;
