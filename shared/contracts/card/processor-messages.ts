/** What platform and card processor tell each other through queues (contract 0.3). */
import { z } from "zod";
import { isPan, maskedPanPattern } from "../../domain/card/pan.js";
import { isCountryCode } from "../../domain/card/countries.js";
import { transactionTypes } from "../../domain/authorisations/types.js";
import { centsOf } from "../../domain/money.js";
import { Identifier } from "../identifier.js";
import { addressTypes } from "./fields.js";

export const cardQueues = {
  events: "card-processor-events",
  commands: "card-processor-commands",
} as const;

/** Text that can be stored, kept as it is. */
const text = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax, { abort: true })
    .regex(/^[^\0\p{Cs}]*$/u, "must not hold characters that no text may hold");
const required = (charactersMax: number) => text(charactersMax).min(1);

/** Short enough for an index, whatever alphabet it is in. */
const Reference = required(128);
const optionalLine = text(255).nullable().default(null);

const largestAmount = 999_999_999.99;
const decimals = { error: "must have at most two decimals" };
const amount = z
  .number()
  .max(largestAmount)
  .refine((value) => centsOf(value) !== undefined, decimals);

/** Dates before this year are a sender's default value, and the first ones no database can store. */
const firstYear = "1900";

/** A moment in any offset, kept in UTC. */
const Moment = z.iso
  .datetime({ offset: true })
  .max(64)
  .transform((moment) => new Date(moment).toISOString())
  .refine((moment) => moment >= firstYear, { error: "must not lie before 1900" });

export const Currency = z
  .string()
  .max(3, { abort: true })
  .regex(/^[A-Z]{3}$/, "must be an alphabetic code of ISO 4217, such as EUR");
export const Alpha3Country = z
  .string()
  .max(3, { abort: true })
  .refine(isCountryCode, { error: "must be a code of ISO 3166-1 alpha-3, such as ITA" });

export const TransactionType = z
  .int()
  .min(0)
  .max(108)
  .refine((type) => transactionTypes.some((known) => known === type), {
    error: `must be one of ${transactionTypes.join(", ")}`,
  })
  .describe("As the card seed codes it (2.7); 20 is a credit.");

/** Every event's: what comes again under the same id is passed over. */
export const eventId = { eventId: Reference } as const;

/** As the processor sends it; what we do not know of it is the processor's business. */
export const ProcessorAddress = z.object({
  type: z.enum(addressTypes),
  countryCode: Alpha3Country.nullable().default(null),
  line1: optionalLine,
  line2: optionalLine,
  line3: optionalLine,
  city: optionalLine,
  postOffice: optionalLine,
  zipCode: optionalLine,
  province: optionalLine,
  externalReference: optionalLine,
});

export const AccountOpened = z.object({
  ...eventId,
  kind: z.literal("accountOpened"),
  accountId: Identifier,
  addressId: Identifier,
  affiliate: required(255),
  customerId: Identifier,
  firstName: required(255),
  lastName: required(255),
  address: ProcessorAddress,
});
export type AccountOpened = z.infer<typeof AccountOpened>;

export const CardIssued = z.object({
  ...eventId,
  kind: z.literal("cardIssued"),
  cardId: Identifier,
  maskedPan: z
    .string()
    .max(19, { abort: true })
    .regex(maskedPanPattern, "must show no more than the first six and the last four digits"),
  panToken: required(255).refine((token) => !isPan(token), {
    error: "must not be a card number: its check digit is right",
  }),
  expiryDate: z.iso
    .date()
    .refine((date) => date >= firstYear, { error: "must not lie before 1900" }),
});
export type CardIssued = z.infer<typeof CardIssued>;

export const Presentment = z.object({
  ...eventId,
  kind: z.literal("presentment"),
  presentmentId: Reference,
  cardId: Identifier,
  amount: amount.positive(),
  currency: Currency,
  merchantName: required(255),
  merchantCountry: Alpha3Country,
  type: TransactionType.default(0),
  isReversal: z.boolean().default(false),
  mcc: z.int().min(0).max(9_999).nullable().default(null),
  feeAmount: amount.nonnegative().default(0),
  transactionDate: Moment,
});
export type Presentment = z.infer<typeof Presentment>;

export const Fee = z.object({
  ...eventId,
  kind: z.literal("fee"),
  feeId: Reference,
  cardId: Identifier,
  amount: amount.positive(),
  currency: Currency,
  feeType: required(255),
  feeCode: required(255),
  feeDescription: text(1_000),
});
export type Fee = z.infer<typeof Fee>;

export const cardCommandKinds = [
  "issue",
  "update",
  "lock",
  "unlock",
  "block",
  "delete",
  "limits",
  "pin",
  "accountUpdate",
  "accountLock",
  "accountUnlock",
  "accountBlock",
  "accountDelete",
  "addressUpdate",
  "authorisationAnswer",
] as const;
export type CardCommandKind = (typeof cardCommandKinds)[number];

/** Queue `card-processor-commands`: the kind's own fields lie beside these. */
export const CardProcessorCommand = z.looseObject({
  commandId: z.uuid(),
  kind: z.enum(cardCommandKinds),
});
export type CardProcessorCommand = z.infer<typeof CardProcessorCommand>;

/** What the sandbox's processor needs of an `issue`. */
export const IssueCommand = z.object({
  commandId: z.uuid(),
  cardId: z.uuid(),
  requestedAt: z.iso.datetime(),
});
