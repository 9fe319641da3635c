/** The operation record and what the bodies of operations share (wallet seed, 2.1 to 2.4). */
import { z } from "zod";
import { fundsTypes, operationStatuses, operationTypes } from "../../domain/operations/families.js";
import { Identifier } from "../identifier.js";
import { LimitEntry } from "../ledger/limits.js";
import { DateTime, NullableDate, NullableDateTime } from "../wallet/fields.js";

export const Fee = z
  .object({
    amount: z.number(),
    beneficiary: z.string().describe("The account that receives the fee."),
    debtor: z.string().describe("The account that pays it."),
  })
  .meta({ id: "Fee" });

/** All six limits, as operations show them (wallet seed, 2.3). */
export const OperationLimits = z
  .object({
    maximum: LimitEntry,
    minimum: LimitEntry,
    maximumLastMonthCashDeposit: LimitEntry,
    maximumLastMonthCashWithdrawal: LimitEntry,
    maximumLastMonthSddDeposit: LimitEntry,
    maximumAnnualWelfareDeposit: LimitEntry,
  })
  .meta({ id: "OperationLimits" });

const NullableTags = z.record(z.string(), z.string()).nullable();

export const Operation = z
  .object({
    operationId: z.uuid(),
    walletId: z.uuid().nullable().describe("Null: the record is a harvesting."),
    partnerKey: z.string(),
    dealerKey: z.string().nullable(),
    storeId: z.uuid().nullable(),
    type: z.enum(operationTypes),
    idempotencyKey: z.string().nullable(),
    amount: z.number(),
    customerFinalAmount: z.number(),
    customerNetAmount: z.number(),
    customerFeesAmount: z.number(),
    fees: z.array(Fee),
    creationDate: DateTime,
    confirmationDate: NullableDateTime,
    lastUpdateDate: DateTime,
    cancellationDate: NullableDateTime,
    expiryDate: NullableDateTime,
    terminationDate: NullableDateTime,
    completionDate: NullableDateTime,
    status: z.enum(operationStatuses),
    operationGroupId: z.uuid().nullable(),
    feedback: z.string().nullable(),
    attempts: z.int32(),
    bankNotificationId: z.uuid().nullable(),
    harvestingId: z.uuid().nullable(),
    tags: NullableTags,
    metadata: z.record(z.string(), z.unknown()).nullable(),
    fundsType: z.enum(fundsTypes),
    bucketId: z.uuid().nullable(),
    reconciliationId: z.uuid().nullable(),
    fundsExpiryDate: NullableDate,
  })
  .meta({ id: "Operation" });
export type Operation = z.infer<typeof Operation>;

/** Above what any limit allows, below what a number carries exactly. */
const amountMax = 99_999_999_999.99;

export const OperationAmount = z
  .number()
  .positive()
  .max(amountMax)
  .describe("Greater than 0, with at most two decimals.");

export const IdempotencyKey = z
  .string()
  .max(64, { abort: true })
  .regex(/^\P{Cc}{32}$/u, "must have exactly 32 characters")
  .describe("Exactly 32 characters; the same key with the same body gets the first answer again.");

const tagsBytesMax = 4 * 1024;
const tagsBound = `At most ${tagsBytesMax} bytes as JSON in UTF-8, without white space.`;

const tagText = z
  .string()
  .max(255, { abort: true })
  .regex(/^\P{Cc}*$/u, "must not hold control characters");

const tagRecord = z
  .record(tagText, tagText)
  .refine(
    (tags) => Buffer.byteLength(JSON.stringify(tags)) <= tagsBytesMax,
    `must have at most ${tagsBytesMax} bytes as JSON`,
  );

export const TagFilter = tagRecord
  .describe(`${tagsBound} \`tag.till=3\` finds what has this value of this tag.`)
  .optional();
export const GivenTags = tagRecord.describe(tagsBound).nullable();
/** Where the seed asks for a non-empty object. */
export const RequiredTags = tagRecord
  .refine((tags) => Object.keys(tags).length > 0, "must hold at least one tag")
  .describe(`${tagsBound} At least one.`);

export const FundsExpiryDate = z.iso
  .date()
  .max(10)
  .refine((date) => date >= "1900", "must not lie before 1900")
  .nullable()
  .describe("The last day on which the funds can be spent; null: they never expire.");

export const GroupIdentifier = Identifier.nullable().describe("Binds the operation to a group.");
