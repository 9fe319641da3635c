/** The refusals of the six families: initialise and simulate; and, by their own table, what changes them. */
import type { ErrorCode } from "../../../shared/contracts/errors.js";
import { families, type FamilyType } from "../../../shared/domain/operations/families.js";
import type { RefusalCase } from "../platform/refusal-cases.js";
import type { Given, WalletStates } from "../wallet/wallet-states.js";
import { changeCases } from "./change-refusals.js";
import { freshKey } from "./commands.js";
import {
  isAtStore,
  isDebit,
  isGroupable,
  routesOf,
  type OperationStates,
} from "./operation-states.js";

type Change = Readonly<Record<string, unknown>>;

/** A body that is refused, and why: for initialisation and simulation alike. */
interface Asked {
  readonly code: ErrorCode;
  readonly given: Given;
  readonly change?: (walletId: string) => Promise<Change>;
  readonly says?: Readonly<Record<string, string>>;
  readonly as?: "globex";
}

const nobody = "01890a5d-ac96-774b-bcce-b302099a8057";
const tomorrow = "2099-12-31";

const askedOfAll = (type: FamilyType, wallets: WalletStates): readonly Asked[] => [
  { code: "WalletOfAnotherPartner", given: wallets.ofGlobex },
  { code: "WalletNotFound", given: wallets.nowhere },
  { code: "WalletNotActive", given: wallets.inStatus("Suspended"), says: { status: "Suspended" } },
  { code: "WalletNotActive", given: wallets.inStatus("Closed"), says: { status: "Closed" } },
  {
    code: "AmountScaleInvalid",
    given: wallets.validated,
    change: async () => ({ amount: 10.001 }),
    says: { amount: "10.001" },
  },
  ...(type === "SctWithdrawal"
    ? [{ code: "IbanNotValidated" as const, given: wallets.anyWallet }]
    : []),
];

const askedAtStore = (wallets: WalletStates, states: OperationStates): readonly Asked[] => [
  ...(["nowhere", "deleted", "ofGlobex"] as const).map((kind) => ({
    code: "StoreNotFound" as const,
    given: wallets.validated,
    change: async () => ({ storeId: await states.storeThatIs(kind) }),
  })),
  {
    code: "StoreNotActive",
    given: wallets.validated,
    change: async () => ({ storeId: await states.storeThatIs("inactive") }),
  },
];

const askedOfDealer = (wallets: WalletStates): readonly Asked[] =>
  (
    [
      ["DealerNotFound", "nobody"],
      ["DealerOfAnotherPartner", "dealer-turin"],
    ] as const
  ).map(([code, dealerKey]) => ({
    code,
    given: wallets.validated,
    change: async () => ({ dealerKey }),
    says: { dealerKey },
  }));

/** What a deposit may be refused for: fees, and the day on which its funds expire. */
const askedOfCredit = (
  type: FamilyType,
  wallets: WalletStates,
  states: OperationStates,
): readonly Asked[] => [
  type === "CashDeposit"
    ? {
        code: "FeesExceedAmount",
        given: wallets.anyWallet,
        change: async () => ({ amount: 0.99 }),
        says: { feesAmount: "1" },
      }
    : {
        code: "FeesExceedAmount",
        given: wallets.ofGlobex,
        as: "globex",
        change: async () =>
          type === "LoyaltyDeposit"
            ? { storeId: await states.storeThatIs("ofGlobex") }
            : { dealerKey: "dealer-turin" },
        says: { feesAmount: "11" },
      },
  ...(type === "CashDeposit"
    ? []
    : [
        {
          code: "FundsExpiryDateInvalid" as const,
          given: wallets.anyWallet,
          change: async () => ({ fundsExpiryDate: "2020-01-01" }),
        },
      ]),
];

const askedOfDebit = (
  type: FamilyType,
  { validated }: WalletStates,
  states: OperationStates,
): readonly Asked[] => {
  const fundsType = type === "Payment" ? { fundsType: "Loyalty" } : {};
  return [
    { code: "InsufficientBalance", given: validated, says: { availableBalance: "0" } },
    {
      code: "BucketAmbiguous",
      given: validated,
      change: async (walletId) => {
        for (const fundsExpiryDate of [null, tomorrow])
          await states.fund(walletId, 800n, "Loyalty", { fundsExpiryDate, isWithdrawable: true });
        return fundsType;
      },
    },
    ...(type === "Payment"
      ? []
      : [
          {
            code: "BucketNotWithdrawable" as const,
            given: validated,
            change: async (walletId: string) => {
              await states.fund(walletId, 5_000n, "Loyalty");
              return {};
            },
          },
        ]),
  ];
};

const askedOfPayment = ({ validated }: WalletStates, states: OperationStates): readonly Asked[] => [
  { code: "BucketNotFound", given: validated, change: async () => ({ bucketId: nobody }) },
  {
    code: "BucketNotFound",
    given: validated,
    change: async () => ({ bucketId: await states.fund(await states.walletId(), 2_000n) }),
  },
  {
    code: "BucketNotMatching",
    given: validated,
    change: async (walletId) => ({ bucketId: await states.fund(walletId, 2_000n, "Welfare") }),
    says: { fundsType: "Welfare" },
  },
  ...[true, false].map((isNamed) => ({
    code: "FundsExpired" as const,
    given: validated,
    change: async (walletId: string) => {
      const bucketId = await states.expiredFunds(walletId);
      return { fundsType: "Loyalty", ...(isNamed ? { bucketId } : {}) };
    },
  })),
];

const askedInGroup = ({ validated }: WalletStates, states: OperationStates): readonly Asked[] => [
  {
    code: "OperationGroupNotFound",
    given: validated,
    change: async () => ({ operationGroupId: nobody }),
  },
  {
    code: "OperationGroupNotOfWallet",
    given: validated,
    change: async () => ({ operationGroupId: await states.group(await states.walletId()) }),
  },
  {
    code: "OperationGroupStatusInvalid",
    given: validated,
    change: async (walletId) => ({ operationGroupId: await states.endedGroup(walletId) }),
    says: { status: "Cancelled" },
  },
];

/** What a caller asks for amiss under a key: one that is in work, and one that stands for another body. */
const keyCases = (
  type: FamilyType,
  { validated }: WalletStates,
  states: OperationStates,
): readonly RefusalCase[] => {
  const route = routesOf(type).initialise;
  return [
    {
      route,
      code: "IdempotencyKeyInUse",
      given: validated,
      prepare: async (walletId) => {
        const key = freshKey();
        const release = await states.inFlight(walletId, () =>
          states.initialise(walletId, type, key),
        );
        return { body: await states.body(type, { idempotencyKey: key }), release };
      },
    },
    {
      route,
      code: "IdempotencyKeyReused",
      given: validated,
      prepare: async (walletId) => {
        const key = freshKey();
        await states.pending(walletId, type, { key });
        return { body: await states.body(type, { idempotencyKey: key }) };
      },
    },
    {
      route,
      code: "LimitExceeded",
      given: validated,
      prepare: async () => ({ body: await states.body(type, { amount: 1_000.01 }) }),
      says: { limitName: "maximum", limit: "1000", exceedAmountFromLimit: "0.01" },
    },
  ];
};

const familyCases = (
  type: FamilyType,
  wallets: WalletStates,
  states: OperationStates,
): readonly RefusalCase[] => {
  const { initialise, simulate } = routesOf(type);
  const asked: readonly Asked[] = [
    ...askedOfAll(type, wallets),
    ...(isAtStore(type) ? askedAtStore(wallets, states) : []),
    ...(type === "WelfareDeposit" ? askedOfDealer(wallets) : []),
    ...(isDebit(type) ? askedOfDebit(type, wallets, states) : askedOfCredit(type, wallets, states)),
    ...(type === "Payment" ? askedOfPayment(wallets, states) : []),
  ];
  const grouped = isGroupable(type) ? askedInGroup(wallets, states) : [];
  return [
    ...[...asked, ...grouped].map(({ change, ...row }): RefusalCase => ({
      ...row,
      route: initialise,
      prepare: async (id) => ({ body: await states.body(type, await change?.(id)) }),
    })),
    ...asked.map(({ change, ...row }): RefusalCase => ({
      ...row,
      route: simulate,
      prepare: async (id) => ({ body: await states.simulation(type, await change?.(id)) }),
    })),
    ...keyCases(type, wallets, states),
    ...changeCases(type, wallets, states),
  ];
};

export const operationCases = (
  wallets: WalletStates,
  states: OperationStates,
): readonly RefusalCase[] =>
  (Object.keys(families) as FamilyType[]).flatMap((type) => familyCases(type, wallets, states));
