/** What administrators set per partner; absent keys take the defaults. */
import { z } from "zod";
import { isCreditorIdentifier } from "../../domain/bank/creditor-identifier.js";
import { families, operationTypes, type FamilyType } from "../../domain/operations/families.js";
import { attachmentBytesMax } from "../../domain/ticketing/attachment-types.js";
import { o2iSettings } from "./o2i-settings.js";

const hours = z.number().positive();

const cents = (byDefault: number) => z.int().nonnegative().default(byDefault);

/** Per operation, over rolling thirty days, and per calendar year. */
const limits = z
  .object({
    minimumCents: cents(100),
    minimumPaymentCents: cents(1),
    maximumCents: cents(100_000),
    /** Italian law forbids cash of 5,000 and above; no partner may allow more. */
    maximumCashCents: cents(499_999).pipe(z.int().max(499_999)),
    lastMonthCashDepositCents: cents(250_000),
    lastMonthCashWithdrawalCents: cents(100_000),
    lastMonthSddDepositCents: cents(125_000),
    annualWelfareDepositCents: cents(100_000),
  })
  .prefault({});

/** With at most four decimals. */
const percent = z.number().nonnegative().max(100).multipleOf(0.0001);
/** Of one transaction, and of a Rome day, week, month or year; null: no such limit. */
const cardCents = (byDefault: number | null) => z.int().nonnegative().nullable().default(byDefault);

/** Of cards for which none were set. */
const cardLimits = z
  .object({
    perTransactionCents: cardCents(50_000),
    dailyOverallCents: cardCents(100_000),
    weeklyOverallCents: cardCents(null),
    monthlyOverallCents: cardCents(300_000),
    yearlyOverallCents: cardCents(null),
    dailyAtmCents: cardCents(25_000),
    monthlyAtmCents: cardCents(null),
    dailyEcommerceCents: cardCents(null),
    monthlyEcommerceCents: cardCents(null),
  })
  .prefault({});

const familyTypes = Object.keys(families) as [FamilyType, ...FamilyType[]];

/** What an operation of a family costs; the fees of several rules are added up, then rounded once. */
const feeRule = z.object({
  family: z.enum(familyTypes),
  fixedCents: cents(0),
  /** Of the amount. */
  percent: percent.default(0),
  minimumCents: cents(0),
  maximumCents: z.int().nonnegative().nullable().default(null),
  beneficiary: z.string().min(1).max(255).default("platform"),
  debtor: z.string().min(1).max(255).default("wallet"),
});

const feeRulesByDefault: readonly z.input<typeof feeRule>[] = [
  { family: "CashDeposit", fixedCents: 100 },
  { family: "CashWithdrawal", fixedCents: 100 },
  { family: "SctWithdrawal", fixedCents: 50 },
];

const minutes = z.number().positive();

const perSecond = z.int().positive().max(1_000_000).nullable().optional();

/** Challenges of card holders (contract 5); of the low-value exemption the law's own bounds are the largest. */
const threeDs = z
  .object({
    /** So long a challenge waits for its result. */
    challengeMinutes: minutes.max(60).default(5),
    /** Records are removed after so many days. */
    retentionDays: z.int().positive().max(36_500).default(400),
    /** So many purchases of low value pass between two authentications, and so much together. */
    lowValueUses: z.int().min(0).max(5).default(5),
    lowValueSumCents: z.int().min(0).max(10_000).default(10_000),
    /** Opens the partner's authentication app; the transaction's id is added as a query. */
    oobAppUrl: z.string().min(1).max(1_000).default("borsello://oob"),
  })
  .prefault({});

export const partnerSettings = z.object({
  /** Whether the partner's customers sign a contract; without it the contract routes refuse. */
  activationFlowEnabled: z.boolean().default(true),
  contract: z
    .object({
      /** The document with the partner's own form; null: its wallets have no contract to sign. */
      template: z.string().min(1).max(255).nullable().default(null),
    })
    .prefault({}),
  onboarding: z
    .object({
      /** Whether onboarding waits for a mandate: always, when one was initialised, never. */
      mandate: z.enum(["required", "optional", "none"]).default("optional"),
    })
    .prefault({}),
  /** What verifies a customer's IBAN; without an account of its own, the platform's takes the transfer. */
  ibanVerification: z
    .object({
      destinationIban: z.string().nullable().default(null),
      destinationOwner: z.string().nullable().default(null),
      transferAmountCents: z.int().positive().default(100),
      validDays: z.int().positive().default(30),
    })
    .prefault({}),
  /** Who collects by the mandates of the partner's customers; without it no mandate can be filled. */
  creditor: z
    .object({
      identifier: z
        .string()
        .max(35)
        .refine(isCreditorIdentifier, "must be a sound SEPA creditor identifier"),
      name: z.string().min(1).max(70),
      address: z.string().min(1).max(140),
    })
    .nullable()
    .default(null),
  mandate: z
    .object({
      /** So many days before each collection the debtor is told of it. */
      preNotificationDays: z.int().min(0).max(36).default(5),
    })
    .prefault({}),
  ticketing: z
    .object({
      enabled: z.boolean().default(true),
      /** Hours until a ticket expires, by its priority. */
      slaHours: z.tuple([hours, hours, hours, hours]).default([4, 8, 24, 72]),
      /** Without a word for so long, a resolved ticket is closed. */
      silentDays: z.number().positive().default(4),
      /** Without a word for so long, a ticket that waits for the customer is resolved. */
      answerDays: z.number().positive().default(14),
      /** Of one ticket: how large an attachment may be, how many there may be, how large together. */
      attachments: z
        .object({
          bytesMax: z.int().positive().max(attachmentBytesMax).default(attachmentBytesMax),
          countMax: z.int().positive().default(20),
          totalBytesMax: z
            .int()
            .positive()
            .default(50 * 1024 * 1024),
        })
        .prefault({}),
    })
    .prefault({}),
  settlement: z
    .object({
      /** Of these a day's operations are moved at the bank as one; all others one by one. */
      harvestedTypes: z
        .array(z.enum(operationTypes))
        .default(["CashDeposit", "CashWithdrawal", "LoyaltyDeposit", "WelfareDeposit", "Payment"]),
      /** The partner's account at the bank for customers' funds, besides the one that collects. */
      safeguardingAccount: z.string().nullable().default(null),
      /** Seconds before each attempt at the bank; as many attempts as entries. */
      retrySeconds: z
        .array(z.int().nonnegative())
        .min(1)
        .max(50)
        .default([0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]),
    })
    .prefault({}),
  closing: z
    .object({
      /** Whether a wallet that still holds funds may not be closed. */
      requiresZeroBalance: z.boolean().default(false),
    })
    .prefault({}),
  cards: z
    .object({
      /** The product of which the partner's cards are made. */
      productCode: z.string().min(1).max(64).default("STANDARD"),
      /** What the partner keeps of each cleared record: of its amount, and of its fee. */
      deductions: z
        .object({ interchangePercent: percent.default(0), feePercent: percent.default(0) })
        .prefault({}),
      threeDs,
      /** Where the affiliate is asked about its cards. */
      o2i: o2iSettings.prefault({}),
      /** Of cards for which none were set. */
      limits: cardLimits,
    })
    .prefault({}),
  limits,
  rateLimits: z
    .object({
      /** Null: none; absent: 1,000 in production, none elsewhere. Payments by card have as many besides. */
      callsPerSecond: perSecond,
      /** The same of calls that list; absent: 100 in production. */
      listsPerSecond: perSecond,
    })
    .prefault({}),
  fees: z
    .array(feeRule)
    .max(100)
    .prefault([...feeRulesByDefault]),
  operations: z
    .object({
      /** So long an operation or a group waits to be confirmed; members of a group have the group's time. */
      expiryMinutes: minutes.default(30),
      groupExpiryMinutes: minutes.default(30),
      sctWithdrawalExpiryMinutes: minutes.default(24 * 60),
      /** Which funds may leave the wallet in cash or by transfer. */
      withdrawable: z
        .object({
          Standard: z.boolean().default(true),
          Welfare: z.boolean().default(false),
          Loyalty: z.boolean().default(false),
        })
        .prefault({}),
    })
    .prefault({}),
});

/** As an administrator writes them. */
export type GivenPartnerSettings = z.input<typeof partnerSettings>;
export type PartnerSettings = z.output<typeof partnerSettings>;
