/** What a partner reads after the day: balance, buckets, limits, operations, figures, the statement. */
import { getStatementRoute } from "../../../shared/contracts/accounting/statement.js";
import { getWalletBalanceRoute } from "../../../shared/contracts/ledger/balance.js";
import * as buckets from "../../../shared/contracts/ledger/buckets.js";
import { getWalletLimitsRoute } from "../../../shared/contracts/ledger/limits.js";
import * as lists from "../../../shared/contracts/operations/lists.js";
import * as figures from "../../../shared/contracts/operations/statistics.js";
import type { Day } from "./money.js";
import type { Customer, Shop } from "./onboarding.js";
import type { Story } from "./teller.js";

export const readReports = async (
  { at, tell }: Story,
  { walletId }: Customer,
  { storeId }: Shop,
  { paymentId }: Day,
): Promise<void> => {
  const params = { walletId };
  await at("2025-03-05T18:00");
  await tell(getWalletBalanceRoute, { params });
  await tell(buckets.getWalletBucketsRoute, { params });
  await tell(buckets.resyncBucketsRoute, { params });
  await tell(getWalletLimitsRoute, { params });
  const query = { type: "Payment", status: "Confirmed", pageSize: 2 };
  await tell(lists.listOperationsRoute, { params, query });
  const payment = { params: { walletId, operationId: paymentId } };
  await tell(lists.getOperationRoute, payment);
  await tell(lists.getOperationTimelineRoute, payment);
  const day = { fromDate: "2025-03-05T00:00:00.000Z", toDate: "2025-03-05T23:59:59.000Z" };
  await tell(getStatementRoute, { params, query: day });
  await tell(figures.getOperationsOverviewRoute, {});
  const atStore = { params: { storeId } };
  const onDay = { fromDate: "2025-03-05", toDate: "2025-03-05" };
  const counted = { operationType: "Payment", operationStatus: "Confirmed" } as const;
  await tell(figures.countStoreOperationsRoute, { ...atStore, query: { ...onDay, ...counted } });
  const total = { ...onDay, operationType: "Payment" };
  await tell(figures.totalStoreOperationsRoute, { ...atStore, query: total });
};
