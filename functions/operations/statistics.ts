/** Figures of operations: the partner's overview, counts and totals of one store. */
import {
  countStoreOperationsRoute,
  getOperationsOverviewRoute,
  totalStoreOperationsRoute,
} from "../../shared/contracts/operations/statistics.js";
import { storePartner } from "../../shared/database/access/store-access.js";
import {
  countAtStore,
  operationsOverview,
  totalAtStore,
} from "../../shared/database/operations/statistics.js";
import { checkedRange } from "../../shared/domain/date-range.js";
import { endpoint, type Endpoint } from "../kit/endpoint.js";

const overviewEndpoint = endpoint(
  getOperationsOverviewRoute,
  async ({ database }, { caller, ok }) => ok(await operationsOverview(database, caller.partnerKey)),
);

const countEndpoint = endpoint(
  countStoreOperationsRoute,
  async ({ database }, { params: { storeId }, query, caller, ok, refuse }) => {
    const range = checkedRange(query);
    if (!range.ok) return refuse(range);
    const store = await storePartner(database, caller, storeId);
    if (!store.ok) return refuse(store);
    const { operationType, operationStatus } = query;
    return ok({
      value: await countAtStore(database, storeId, query, operationType, operationStatus),
    });
  },
);

const totalEndpoint = endpoint(
  totalStoreOperationsRoute,
  async ({ database }, { params: { storeId }, query, caller, ok, refuse }) => {
    const range = checkedRange(query);
    if (!range.ok) return refuse(range);
    const store = await storePartner(database, caller, storeId);
    if (!store.ok) return refuse(store);
    return ok(await totalAtStore(database, storeId, query, query.operationType));
  },
);

export const operationStatisticsEndpoints: readonly Endpoint[] = [
  overviewEndpoint,
  countEndpoint,
  totalEndpoint,
];
