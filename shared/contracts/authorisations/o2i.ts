/** What the card network asks of an affiliate through the platform (card seed, 2.7 and 4.3; contract 3.3). */
import { z } from "zod";
import { transactionTypes } from "../../domain/authorisations/types.js";
import { Moment } from "../date-range.js";
import type { ErrorCode } from "../errors.js";
import { route } from "../route.js";

const charactersMax = 255;

const Line = z
  .string()
  .max(charactersMax, { abort: true })
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, "must not hold control characters or halves of characters");
const RequiredLine = Line.min(1);
const NullableLine = Line.nullable().default(null);
const NullableInt = z.int32().nullable().default(null);

/** Before it lie senders' default values, after it what no calendar of ours can show. */
const years = { first: 1900, last: 9998 } as const;
const isWithinYears = (moment: string): boolean => {
  const year = new Date(moment).getUTCFullYear();
  return year >= years.first && year <= years.last;
};
const NullableMoment = Moment.refine(
  isWithinYears,
  `must lie between ${years.first} and ${years.last}`,
)
  .nullable()
  .default(null);

/** Above what any limit allows, below what a number carries exactly. */
const amountMax = 99_999_999_999.99;
const NullableAmount = z.number().min(0).max(amountMax).nullable().default(null);

/** One of the codes that the seed lists. */
const code = <const Codes extends readonly number[]>(codes: Codes) => z.literal(codes);
const nullableCode = <const Codes extends readonly number[]>(codes: Codes) =>
  code(codes).nullable().default(null);

export const O2iRequest = z.strictObject({
  transactionId: RequiredLine.describe(
    "The processor's; the same identifier gets the same answer, however often it comes.",
  ),
  refTransactionId: NullableLine.describe("The transaction that this one follows or reverses."),
  transactionDateTime: NullableMoment,
  processDateTime: NullableMoment,
  transactionAmount: NullableAmount.describe("In the currency of the transaction."),
  transactionCurrency: NullableInt.describe("ISO 4217, numeric."),
  billingAmount: NullableAmount.describe(
    "What the account is charged, with at most two decimals; null: the amount of the transaction.",
  ),
  billingCurrency: NullableInt.describe("978; null: that of the transaction."),
  terminalId: NullableLine,
  mcc: NullableInt.describe("Merchant category code."),
  merchantId: NullableLine,
  merchantName: NullableLine,
  merchantStreet: NullableLine,
  merchantCity: NullableLine,
  merchantZip: NullableLine,
  merchantCountry: NullableInt.describe("ISO 3166-1, numeric."),
  cardToken: RequiredLine.describe("The card's `panToken`."),
  authorizationCode: z
    .string()
    .max(6, { abort: true })
    .regex(/^\d{6}$/, "must be six digits")
    .nullable()
    .default(null),
  cardScheme: code([1, 2, 3, 4]).describe("The card network."),
  type: code(transactionTypes).describe(
    "0 purchase, 1 cash machine, 6 card verification, 17 cash advance, 20 refund, 30 balance, 91 PIN " +
      "unblocked, 92 PIN changed; of network 3 alone: 101 preauthorisation, 102 its increment, 103 its " +
      "completion, 107 transfer to the account, 108 from it.",
  ),
  stan: NullableLine,
  source: z
    .enum(["M", "P", "A", "I"])
    .nullable()
    .default(null)
    .describe("Manual, point of sale, cash machine (ATM), Internet."),
  entryMode: nullableCode([0, 1, 2, 3, 5, 6, 7, 9, 10]),
  authentication: nullableCode([0, 1, 2]),
  authenticationProtocol: nullableCode([0, 1, 2]),
  scaExemption: nullableCode([0, 1, 2, 3, 4, 5, 6]),
  virtualCardNumberId: NullableLine,
  wallet: nullableCode([0, 1, 2, 3, 4, 5, 10]),
  pin: nullableCode([1, 2, 3]).describe("1 not performed, 2 passed, 3 failed."),
  responseCode: NullableLine.describe("What the processor has decided itself; null: nothing yet."),
});
export type O2iRequest = z.output<typeof O2iRequest>;

export const O2iAnswer = z
  .object({
    transactionId: z.string(),
    responseCode: z.string().describe("ISO 8583, field 39: 00 is an approval."),
    availableBalance: z.number().describe("0 where the affiliate was not asked."),
    accountCurrency: z.int32(),
  })
  .meta({ id: "O2iAnswer" });
export type O2iAnswer = z.output<typeof O2iAnswer>;

export const o2iKinds = ["request", "advice", "inquiry", "reversal"] as const;
export type O2iKind = (typeof o2iKinds)[number];

const refusals = [
  "CardTokenInvalid",
  "CurrencyNotSupported",
  "AmountScaleInvalid",
] as const satisfies readonly ErrorCode[];

const declines =
  "A decline is 200 with its response code: 05 refused by the processor or reversed before, 12 type or " +
  "reference, 13 amount, 14 card or account blocked, 41 lost, 43 stolen, 54 expired, 61 limit, 62 locked, " +
  "94 the identifier was used for something else; all others are the affiliate's. Where it cannot be " +
  "reached, its stand-in answers; without one the call is 503 and may be made again. A repeat gets the " +
  "first answer.";

const toAffiliate = {
  api: "card",
  method: "POST",
  body: O2iRequest,
  repeatable: true,
  role: "O2I.Write",
  ok: { status: 200, schema: O2iAnswer },
  errors: refusals,
} as const;

export const o2iRoutes = {
  request: route({
    ...toAffiliate,
    id: "pushO2iRequest",
    path: "o2i/requests",
    summary: "Authorise a card transaction",
    result: "The decision: code `00` is an approval, any other a decline.",
    description:
      "Card, account and the card's limits are looked at first; then the affiliate is asked. A " +
      "preauthorisation (101) and its increments (102) hold what their completion (103) then takes, each " +
      `naming the one before as refTransactionId.\n\n${declines}`,
  }),
  advice: route({
    ...toAffiliate,
    id: "pushO2iAdvice",
    path: "o2i/advices",
    summary: "Tell of a card transaction that was decided elsewhere",
    result: "The advice was taken.",
    description:
      "A fact: neither the card's state nor its limits speak against it, but it counts towards them. An advice " +
      "that names as refTransactionId what was approved here, for the same amount, is known already and posts " +
      `nothing.\n\n${declines}`,
  }),
  inquiry: route({
    ...toAffiliate,
    id: "pushO2iInquiry",
    path: "o2i/inquiries",
    summary: "Ask for the available balance, or whether the card is sound",
    result: "What the affiliate answered.",
    description: `Types 6, 30, 91 and 92; nothing is moved.\n\n${declines}`,
  }),
  reversal: route({
    ...toAffiliate,
    id: "pushO2iReversal",
    path: "o2i/reversals",
    summary: "Reverse the transaction that refTransactionId names",
    result: "The reversal was taken.",
    description:
      "As a whole: an amount, where one is given, must be that transaction's (else 13). What was declined or " +
      "reversed before stays as it is, and what comes only afterwards is declined (05); both are 00.\n\n" +
      declines,
  }),
} as const;

const simulated = {
  ...toAffiliate,
  refusedInProduction: true,
  description: "In testing and development only; decided, kept and shown like a true one.",
} as const;

export const o2iSimulationRoutes = {
  request: route({
    ...simulated,
    id: "simulateO2iRequest",
    path: "o2i/simulations/request",
    summary: "Simulate a request that the card processor received",
    result: "The decision as the card processor would get it.",
  }),
  reversal: route({
    ...simulated,
    id: "simulateO2iReversal",
    path: "o2i/simulations/reversal",
    summary: "Simulate a reversal that the card processor received",
    result: "The answer as the card processor would get it.",
  }),
} as const;
