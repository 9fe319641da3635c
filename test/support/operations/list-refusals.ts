/** The refusals of what is read of operations, and of card payments. */
import * as lists from "../../../shared/contracts/operations/lists.js";
import { executeO2iPaymentRoute } from "../../../shared/contracts/operations/o2i.js";
import * as statistics from "../../../shared/contracts/operations/statistics.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { ownership, pageRefusals, type RefusalCase } from "../platform/refusal-cases.js";
import { openStore } from "../stores/store-fixtures.js";
import { globex } from "../wallet/wallet-fixtures.js";
import type { Given, WalletStates } from "../wallet/wallet-states.js";
import { cardPayment } from "./card-payments.js";

const operationId = "01890a5d-ac96-774b-bcce-b302099a8057";

const listCases = (wallets: WalletStates): readonly RefusalCase[] => {
  const route = lists.listOperationsRoute;
  const given = wallets.anyWallet;
  const unknown: readonly RefusalCase["route"][] = [
    lists.getOperationRoute,
    lists.getOperationTimelineRoute,
  ];
  return [
    ...pageRefusals(route, given),
    ...ownership(wallets, route),
    {
      ...{ route, given, code: "DateRangeInvalid" },
      query: "fromDate=2026-01-02T00:00:00Z&toDate=2026-01-01T00:00:00Z",
    },
    ...unknown.flatMap((one): RefusalCase[] => [
      ...ownership(wallets, one).map((row) => ({ ...row, params: { operationId } })),
      {
        ...{ route: one, given, code: "OperationNotFound" },
        params: { operationId },
        says: { operationId },
      },
    ]),
  ];
};

const storeCases = (read: () => Database, nowhere: Given): readonly RefusalCase[] => {
  const anyStore: Given = async () => (await openStore(read())).storeId;
  const ofGlobex: Given = async () => (await openStore(read(), {}, globex, "dealer-turin")).storeId;
  const routes: readonly RefusalCase["route"][] = [
    statistics.countStoreOperationsRoute,
    statistics.totalStoreOperationsRoute,
  ];
  const asked = "operationType=Payment";
  return routes.flatMap((route): RefusalCase[] => [
    { route, code: "StoreNotFound", given: nowhere, query: asked },
    { route, code: "DealerOfAnotherPartner", given: ofGlobex, query: asked },
    {
      ...{ route, code: "DateRangeInvalid", given: anyStore },
      query: `${asked}&fromDate=2026-01-01&toDate=2027-01-03`,
      says: { toDate: "must be within 366 days of fromDate." },
    },
  ]);
};

export const figureCases = (
  wallets: WalletStates,
  read: () => Database,
): readonly RefusalCase[] => [
  ...listCases(wallets),
  ...storeCases(read, wallets.nowhere),
  ...ownership(wallets, executeO2iPaymentRoute).map((row) => ({
    ...row,
    prepare: async (walletId: string) => ({ body: cardPayment(walletId) }),
  })),
];
