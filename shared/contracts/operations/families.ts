/** The routes of the six families: each initialise, confirm, cancel, terminate and simulate (wallet seed, 4.2). */
import { z } from "zod";
import { families, fundsTypes, type FamilyType } from "../../domain/operations/families.js";
import type { ErrorCode } from "../errors.js";
import { Identifier } from "../identifier.js";
import { route } from "../route.js";
import { Text, walletParams } from "../wallet/fields.js";
import {
  Fee,
  FundsExpiryDate,
  GivenTags,
  GroupIdentifier,
  IdempotencyKey,
  Operation,
  OperationAmount,
  OperationLimits,
  RequiredTags,
} from "./operations.js";

/** What the bodies of all families may say; each declares which of it is its own. */
export interface OperationRequest {
  readonly amount?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly storeId?: string | undefined;
  readonly dealerKey?: string | undefined;
  readonly operationGroupId?: string | null | undefined;
  readonly fundsType?: (typeof fundsTypes)[number] | undefined;
  readonly bucketId?: string | null | undefined;
  readonly fundsExpiryDate?: string | null | undefined;
  readonly tags?: Readonly<Record<string, string>> | null | undefined;
}

const ChosenFundsType = z
  .enum([...fundsTypes, ""])
  .nullable()
  .default("Standard")
  .transform((given) => (given === null || given === "" ? ("Standard" as const) : given))
  .describe("Empty or null: Standard.");
const ChosenBucket = Identifier.nullable()
  .default(null)
  .describe("Which bucket to spend from; null: the one whose funds expire first.");

const amount = OperationAmount;
const storeId = Identifier;
const idempotencyKey = IdempotencyKey;
const optionalGroup = GroupIdentifier.default(null);
const optionalTags = GivenTags.default(null);
const optionalExpiry = FundsExpiryDate.default(null);
const dealerKey = Text;

const bodies = {
  CashDeposit: {
    initialise: z.strictObject({
      idempotencyKey,
      amount,
      storeId,
      operationGroupId: GroupIdentifier,
      tags: RequiredTags,
    }),
    simulate: z.strictObject({ amount, storeId, tags: RequiredTags }),
  },
  CashWithdrawal: {
    initialise: z.strictObject({ idempotencyKey, amount, storeId, tags: GivenTags }),
    simulate: z.strictObject({ amount, storeId, tags: optionalTags }),
  },
  LoyaltyDeposit: {
    initialise: z.strictObject({
      idempotencyKey,
      amount,
      storeId,
      fundsExpiryDate: FundsExpiryDate,
      operationGroupId: optionalGroup,
      tags: RequiredTags,
    }),
    simulate: z.strictObject({
      amount,
      storeId,
      fundsExpiryDate: optionalExpiry,
      tags: RequiredTags,
    }),
  },
  WelfareDeposit: {
    initialise: z.strictObject({
      dealerKey,
      idempotencyKey,
      amount,
      fundsExpiryDate: optionalExpiry,
      tags: RequiredTags,
    }),
    simulate: z.strictObject({
      dealerKey,
      amount: amount.optional().describe("Absent: only the limits are looked at."),
      fundsExpiryDate: optionalExpiry,
      tags: optionalTags,
    }),
  },
  Payment: {
    initialise: z.strictObject({
      idempotencyKey,
      fundsType: ChosenFundsType,
      bucketId: ChosenBucket,
      amount,
      storeId,
      operationGroupId: optionalGroup,
      tags: optionalTags,
    }),
    simulate: z.strictObject({
      amount,
      fundsType: ChosenFundsType,
      bucketId: ChosenBucket,
      storeId,
      tags: optionalTags,
    }),
  },
  SctWithdrawal: {
    initialise: z.strictObject({ idempotencyKey, amount, tags: optionalTags }),
    simulate: z.strictObject({ amount, tags: optionalTags }),
  },
} as const satisfies Record<
  FamilyType,
  Record<"initialise" | "simulate", z.ZodType<OperationRequest>>
>;

const amounts = {
  operationAmount: z.number(),
  finalAmount: z.number(),
  netAmount: z.number(),
  feesAmount: z.number(),
  fees: z.array(Fee),
  limits: OperationLimits,
  fundsType: z.enum(fundsTypes),
  tags: z.record(z.string(), z.string()).nullable(),
};
const operationId = z.uuid();
const operationGroupId = z.uuid().nullable();
const bucketId = z.uuid();
/** Null in a simulation: the bucket would be opened, or no bucket covers the amount. */
const simulatedBucketId = z.uuid().nullable();
const fundsExpiryDate = z.iso.date().nullable();

const ofWallet = z.object({ operationId, ...amounts, bucketId });
const groupable = z.object({ operationId, operationGroupId, ...amounts, bucketId });
const expiring = groupable.extend({ fundsExpiryDate });
const simulated = z.object({ ...amounts, bucketId: simulatedBucketId });
const simulatedExpiring = simulated.extend({ fundsExpiryDate });

const results = {
  CashDeposit: { initialise: groupable, simulate: simulated },
  CashWithdrawal: { initialise: ofWallet, simulate: simulated },
  LoyaltyDeposit: { initialise: expiring, simulate: simulatedExpiring },
  WelfareDeposit: { initialise: expiring, simulate: simulatedExpiring },
  Payment: { initialise: groupable, simulate: simulated },
  SctWithdrawal: { initialise: ofWallet, simulate: simulated },
} as const satisfies Record<FamilyType, Record<"initialise" | "simulate", z.ZodType>>;

const atStore = ["StoreNotFound", "StoreNotActive"] as const;
const inGroup = [
  "OperationGroupNotFound",
  "OperationGroupNotOfWallet",
  "OperationGroupStatusInvalid",
] as const;
const debits = ["InsufficientBalance", "BucketAmbiguous"] as const;

/** Why an initialisation, and its simulation alike, may be refused besides what all families share. */
const refusals = {
  CashDeposit: ["FeesExceedAmount", ...atStore],
  CashWithdrawal: [...atStore, ...debits, "BucketNotWithdrawable"],
  LoyaltyDeposit: ["FeesExceedAmount", ...atStore, "FundsExpiryDateInvalid"],
  WelfareDeposit: [
    "FeesExceedAmount",
    "DealerNotFound",
    "DealerOfAnotherPartner",
    "FundsExpiryDateInvalid",
  ],
  Payment: [...atStore, ...debits, "BucketNotFound", "BucketNotMatching", "FundsExpired"],
  SctWithdrawal: ["IbanNotValidated", ...debits, "BucketNotWithdrawable"],
} as const satisfies Record<FamilyType, readonly ErrorCode[]>;

/** What the body of initialisation alone can name: a group. */
const groupRefusals: Record<FamilyType, readonly ErrorCode[]> = {
  CashDeposit: inGroup,
  CashWithdrawal: [],
  LoyaltyDeposit: inGroup,
  WelfareDeposit: [],
  Payment: inGroup,
  SctWithdrawal: [],
};

const isDebit = (type: FamilyType): boolean =>
  type === "CashWithdrawal" || type === "Payment" || type === "SctWithdrawal";

const ofPartner: readonly ErrorCode[] = ["WalletOfAnotherPartner", "WalletNotFound"];
const ofOperation: readonly ErrorCode[] = [
  ...ofPartner,
  "OperationNotFound",
  "OperationStatusInvalid",
];
const operationParams = { ...walletParams, operationId: Identifier } as const;
const record = { status: 200, schema: Operation } as const;

const feeEffect = (type: FamilyType): string => {
  if (type === "Payment") return "Fees are added, and debited when the payment is completed.";
  return type === "CashWithdrawal" || type === "SctWithdrawal"
    ? "Fees are added: the wallet is debited with the amount plus fees, held from now on."
    : "Fees are subtracted: the wallet is credited with the amount minus fees.";
};

const familyRoutes = <Type extends FamilyType>(type: Type) => {
  const { slug, noun } = families[type];
  const base = `wallets/{walletId}/${slug}` as const;
  const body: Record<"initialise" | "simulate", z.ZodType<OperationRequest>> = bodies[type];
  const result: Record<"initialise" | "simulate", z.ZodType> = results[type];
  return {
    type,
    initialise: route({
      id: `initialise${type}`,
      api: "wallet",
      method: "POST",
      path: base,
      params: walletParams,
      body: body.initialise,
      role: "Operation.Write",
      ok: { status: 200, schema: result.initialise },
      errors: [
        ...ofPartner,
        "WalletNotActive",
        "LimitExceeded",
        "AmountScaleInvalid",
        "IdempotencyKeyInUse",
        "IdempotencyKeyReused",
        ...refusals[type],
        ...groupRefusals[type],
      ],
      summary: `Initialise a ${noun}`,
      result: "The operation is Initialized: it waits to be confirmed.",
      description: feeEffect(type),
    }),
    confirm: route({
      id: `confirm${type}`,
      api: "wallet",
      method: "PUT",
      path: `${base}/{operationId}/confirm`,
      params: operationParams,
      repeatable: true,
      role: "Operation.Write",
      ok: record,
      errors: [
        ...ofOperation,
        "OperationExpired",
        ...(groupRefusals[type].length > 0 ? (["OperationInGroup"] as const) : []),
        "WalletNotActive",
        ...(isDebit(type) ? (["InsufficientBalance"] as const) : []),
        "LimitExceeded",
      ],
      summary: `Confirm a ${noun}`,
      result: "The operation, now Confirmed.",
      description: "The wallet's balance moves here. A repeat answers the same record.",
    }),
    cancel: route({
      id: `cancel${type}`,
      api: "wallet",
      method: "PUT",
      path: `${base}/{operationId}/cancel`,
      params: operationParams,
      repeatable: true,
      role: "Operation.Write",
      ok: record,
      errors: ofOperation,
      summary: `Cancel a ${noun} that is not confirmed`,
      result: "The operation, now Cancelled.",
    }),
    terminate: route({
      id: `terminate${type}`,
      api: "wallet",
      method: "PUT",
      path: `${base}/{operationId}/terminate`,
      params: operationParams,
      repeatable: true,
      role: "Operation.Write",
      ok: record,
      // A deposit's money may be spent by then; a debit's comes back.
      errors: isDebit(type) ? ofOperation : [...ofOperation, "InsufficientBalance"],
      summary: `Terminate a ${noun}, also when it is confirmed but not yet settled`,
      result: "The operation, now Terminated.",
      description: "What was posted is reversed by entries that mirror it.",
    }),
    simulate: route({
      id: `simulate${type}`,
      api: "wallet",
      method: "POST",
      path: `${base}/simulate`,
      params: walletParams,
      body: body.simulate,
      role: "Operation.Read",
      ok: { status: 200, schema: result.simulate },
      errors: [...ofPartner, "WalletNotActive", "AmountScaleInvalid", ...refusals[type]],
      summary: `Simulate a ${noun}: fees, amounts and limits, without creating anything`,
      result: "What the operation would cost, and which limits it would meet.",
      description:
        "Refused as the initialisation would be, but for a violated limit, which is reported in " +
        "`limits` with its `violationMessage`.",
    }),
  };
};

export const cashDepositRoutes = familyRoutes("CashDeposit");
export const cashWithdrawalRoutes = familyRoutes("CashWithdrawal");
export const loyaltyDepositRoutes = familyRoutes("LoyaltyDeposit");
export const welfareDepositRoutes = familyRoutes("WelfareDeposit");
export const paymentRoutes = familyRoutes("Payment");
export const sctWithdrawalRoutes = familyRoutes("SctWithdrawal");

export const operationFamilies = [
  cashDepositRoutes,
  cashWithdrawalRoutes,
  loyaltyDepositRoutes,
  welfareDepositRoutes,
  paymentRoutes,
  sctWithdrawalRoutes,
] as const;
