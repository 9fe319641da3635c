/** The refusals of operation groups, and of many operations changed by one call. */
import type { ErrorCode } from "../../../shared/contracts/errors.js";
import { bulkCancelRoute, bulkConfirmRoute } from "../../../shared/contracts/operations/bulk.js";
import * as groups from "../../../shared/contracts/operations/groups.js";
import { ownership, pageRefusals, type RefusalCase } from "../platform/refusal-cases.js";
import type { WalletStates } from "../wallet/wallet-states.js";
import { freshKey } from "./commands.js";
import type { OperationStates } from "./operation-states.js";

const nobody = "01890a5d-ac96-774b-bcce-b302099a8057";

const initialiseCases = (
  wallets: WalletStates,
  states: OperationStates,
): readonly RefusalCase[] => {
  const route = groups.initialiseGroupRoute;
  const { validated } = wallets;
  const body = { idempotencyKey: freshKey() };
  return [
    ...ownership(wallets, route, body),
    {
      ...{ route, body, code: "WalletNotActive", given: wallets.inStatus("Suspended") },
      says: { status: "Suspended" },
    },
    {
      ...{ route, code: "OperationGroupAlreadyPending", given: validated },
      prepare: async (walletId) => {
        await states.group(walletId);
        return { body: { idempotencyKey: freshKey() } };
      },
    },
    {
      ...{ route, code: "IdempotencyKeyInUse", given: validated },
      prepare: async (walletId) => {
        const idempotencyKey = freshKey();
        const release = await states.inFlight(walletId, () =>
          states.group(walletId, idempotencyKey),
        );
        return { body: { idempotencyKey }, release };
      },
    },
    {
      ...{ route, code: "IdempotencyKeyReused", given: validated },
      prepare: async () => {
        const idempotencyKey = freshKey();
        await states.group(await states.walletId(), idempotencyKey);
        return { body: { idempotencyKey } };
      },
    },
  ];
};

const readCases = (wallets: WalletStates): readonly RefusalCase[] => {
  const dates = (query: string): RefusalCase => ({
    ...{ route: groups.listGroupsRoute, code: "DateRangeInvalid", given: wallets.anyWallet, query },
  });
  return [
    ...pageRefusals(groups.listGroupsRoute, wallets.anyWallet),
    dates("fromDate=yesterday"),
    dates("fromDate=2026-01-02T00:00:00Z&toDate=2026-01-01T00:00:00Z"),
    ...[groups.listGroupsRoute, groups.getPendingGroupRoute, groups.getGroupRoute].flatMap(
      (route: RefusalCase["route"]) => ownership(wallets, route),
    ),
    ...[groups.getPendingGroupRoute, groups.getGroupRoute].map(
      (route: RefusalCase["route"]): RefusalCase => ({
        ...{ route, code: "OperationGroupNotFound", given: wallets.anyWallet },
      }),
    ),
  ];
};

const changeCases = (wallets: WalletStates, states: OperationStates): readonly RefusalCase[] => {
  const { confirmGroupRoute, cancelGroupRoute, terminateGroupRoute } = groups;
  const about = (
    route: RefusalCase["route"],
    code: ErrorCode,
    make: (walletId: string) => Promise<string>,
    says: Readonly<Record<string, string>> = {},
  ): RefusalCase => ({
    ...{ route, code, says, given: wallets.validated },
    prepare: async (walletId) => ({ params: { operationGroupId: await make(walletId) } }),
  });
  const withPayment = async (
    walletId: string,
  ): Promise<readonly [group: string, member: string]> => {
    const operationGroupId = await states.group(walletId);
    return [operationGroupId, await states.pending(walletId, "Payment", { operationGroupId })];
  };
  return [
    ...[confirmGroupRoute, cancelGroupRoute, terminateGroupRoute].flatMap(
      (route: RefusalCase["route"]) => [
        ...ownership(wallets, route),
        about(route, "OperationGroupNotFound", async () => nobody),
        about(route, "OperationGroupNotFound", async () => states.group(await states.walletId())),
      ],
    ),
    ...[confirmGroupRoute, terminateGroupRoute].map((route: RefusalCase["route"]) =>
      about(route, "OperationGroupStatusInvalid", states.endedGroup, { status: "Cancelled" }),
    ),
    about(confirmGroupRoute, "OperationGroupStatusInvalid", (walletId) => states.group(walletId)),
    about(
      cancelGroupRoute,
      "OperationGroupStatusInvalid",
      async (walletId) => {
        const [group] = await withPayment(walletId);
        await states.confirmGroup(walletId, group);
        return group;
      },
      { status: "Confirmed" },
    ),
    about(confirmGroupRoute, "WalletNotActive", async (walletId) => {
      const [group] = await withPayment(walletId);
      await states.suspendAlone(walletId);
      return group;
    }),
    about(confirmGroupRoute, "LimitExceeded", async (walletId) => {
      const [group, member] = await withPayment(walletId);
      await states.set(member, "amount_cents = 100001");
      return group;
    }),
    about(confirmGroupRoute, "InsufficientBalance", async (walletId) => {
      const [group] = await withPayment(walletId);
      await states.takeAllFunds(walletId);
      return group;
    }),
  ];
};

export const groupCases = (
  wallets: WalletStates,
  states: OperationStates,
): readonly RefusalCase[] => [
  ...initialiseCases(wallets, states),
  ...readCases(wallets),
  ...changeCases(wallets, states),
];

export const bulkCases = (
  { validated }: WalletStates,
  states: OperationStates,
): readonly RefusalCase[] => {
  /** All or none: the one operation's refusal is the answer. */
  const about = (
    route: RefusalCase["route"],
    code: ErrorCode,
    make: (walletId: string) => Promise<string>,
  ): RefusalCase => ({
    ...{ route, code, given: validated },
    prepare: async (walletId) => ({
      body: { operationIds: [await make(walletId)], atomic: true },
    }),
  });
  const after = (assignment: string) => async (walletId: string) => {
    const operationId = await states.pending(walletId, "Payment");
    await states.set(operationId, assignment);
    return operationId;
  };
  return [
    ...[bulkConfirmRoute, bulkCancelRoute].flatMap((route: RefusalCase["route"]) => [
      about(route, "OperationNotFound", async () => nobody),
      about(route, "OperationStatusInvalid", (walletId) =>
        states.changed(walletId, "Payment", "terminate"),
      ),
    ]),
    about(bulkConfirmRoute, "OperationExpired", after("expiry_date = now() - interval '1 second'")),
    about(bulkConfirmRoute, "LimitExceeded", after("amount_cents = 100001")),
    about(bulkConfirmRoute, "OperationInGroup", async (walletId) =>
      states.pending(walletId, "Payment", { operationGroupId: await states.group(walletId) }),
    ),
    about(bulkConfirmRoute, "WalletNotActive", async (walletId) => {
      const operationId = await states.pending(walletId, "Payment");
      await states.suspendAlone(walletId);
      return operationId;
    }),
    about(bulkConfirmRoute, "InsufficientBalance", async (walletId) => {
      const operationId = await states.pending(walletId, "Payment");
      await states.takeAllFunds(walletId);
      return operationId;
    }),
  ];
};
