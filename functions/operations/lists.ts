/** A wallet's operations: list, one of them, its timeline. */
import {
  getOperationRoute,
  getOperationTimelineRoute,
  listOperationsRoute,
} from "../../shared/contracts/operations/lists.js";
import { walletPartner } from "../../shared/database/access/wallet-access.js";
import {
  findOperation,
  listOperations,
  operationTransitions,
} from "../../shared/database/operations/lists.js";
import { checkedRange } from "../../shared/domain/date-range.js";
import { endpoint, type Endpoint } from "../kit/endpoint.js";

const listEndpoint = endpoint(
  listOperationsRoute,
  async ({ database }, { params: { walletId }, query, caller, ok, refuse }) => {
    const range = checkedRange(query);
    if (!range.ok) return refuse(range);
    const wallet = await walletPartner(database, caller, walletId);
    if (!wallet.ok) return refuse(wallet);
    const filter = { ...query, tags: query["tag."] };
    return ok(await listOperations(database, walletId, range.value, filter, query, query.cursor));
  },
);

const getEndpoint = endpoint(
  getOperationRoute,
  async ({ database }, { params: { walletId, operationId }, caller, ok, refuse }) => {
    const wallet = await walletPartner(database, caller, walletId);
    if (!wallet.ok) return refuse(wallet);
    const found = await findOperation(database, walletId, operationId);
    return found.ok ? ok(found.value) : refuse(found);
  },
);

const timelineEndpoint = endpoint(
  getOperationTimelineRoute,
  async ({ database }, { params: { walletId, operationId }, caller, ok, refuse }) => {
    const wallet = await walletPartner(database, caller, walletId);
    if (!wallet.ok) return refuse(wallet);
    const found = await findOperation(database, walletId, operationId);
    return found.ok ? ok(await operationTransitions(database, operationId)) : refuse(found);
  },
);

export const operationListEndpoints: readonly Endpoint[] = [
  listEndpoint,
  getEndpoint,
  timelineEndpoint,
];
