/** Operation groups: initialise, read, confirm, cancel, terminate. */
import {
  cancelGroupRoute,
  confirmGroupRoute,
  getGroupRoute,
  getPendingGroupRoute,
  initialiseGroupRoute,
  listGroupsRoute,
  terminateGroupRoute,
} from "../../shared/contracts/operations/groups.js";
import { limitBounds } from "../../shared/database/ledger/limit-bounds.js";
import { walletPartner } from "../../shared/database/access/wallet-access.js";
import { findGroup, listGroups } from "../../shared/database/operations/groups.js";
import { checkedRange } from "../../shared/domain/date-range.js";
import type { Caller } from "../kit/authorize.js";
import { endpoint, type Endpoint } from "../kit/endpoint.js";
import { settingsFor } from "../kit/partner-settings.js";
import type { Services } from "../kit/services.js";
import { requestHash } from "../../shared/platform/request-hash.js";
import { commandOf } from "./command.js";

const initialiseEndpoint = endpoint(
  initialiseGroupRoute,
  async ({ operations }, { params, body, caller, okWritten, refuse }) => {
    const done = await operations.run({
      ...commandOf("initialiseGroup", caller),
      wallet_id: params.walletId,
      idempotency_key: body.idempotencyKey,
      request_hash: requestHash({ ...params, ...body }),
      expires_after: `${caller.settings.operations.groupExpiryMinutes} minutes`,
    });
    return done.ok ? okWritten(done.value) : refuse(done);
  },
);

/** The bounds of the wallet's own partner, once the caller is known to be allowed to read the wallet. */
const readableBounds = async (services: Services, caller: Caller, walletId: string) => {
  const wallet = await walletPartner(services.database, caller, walletId);
  if (!wallet.ok) return wallet;
  return {
    ok: true,
    value: limitBounds(await settingsFor(services, caller, wallet.value)),
  } as const;
};

const listEndpoint = endpoint(
  listGroupsRoute,
  async (services, { params: { walletId }, query, caller, ok, refuse }) => {
    const range = checkedRange(query);
    if (!range.ok) return refuse(range);
    const bounds = await readableBounds(services, caller, walletId);
    if (!bounds.ok) return refuse(bounds);
    return ok(await listGroups(services.database, walletId, range.value, query, bounds.value));
  },
);

const pendingEndpoint = endpoint(
  getPendingGroupRoute,
  async (services, { params: { walletId }, caller, ok, refuse }) => {
    const bounds = await readableBounds(services, caller, walletId);
    if (!bounds.ok) return refuse(bounds);
    const found = await findGroup(services.database, walletId, undefined, bounds.value);
    return found.ok ? ok(found.value) : refuse(found);
  },
);

const getEndpoint = endpoint(
  getGroupRoute,
  async (services, { params: { walletId, operationGroupId }, caller, ok, refuse }) => {
    const bounds = await readableBounds(services, caller, walletId);
    if (!bounds.ok) return refuse(bounds);
    const found = await findGroup(services.database, walletId, operationGroupId, bounds.value);
    return found.ok ? ok(found.value) : refuse(found);
  },
);

const changeEndpoint = (
  route: typeof cancelGroupRoute | typeof confirmGroupRoute | typeof terminateGroupRoute,
  kind: "confirmGroup" | "cancelGroup" | "terminateGroup",
): Endpoint =>
  endpoint(route, async ({ operations }, { params, caller, okWritten, refuse }) => {
    const changed = await operations.run({
      ...commandOf(kind, caller),
      wallet_id: params.walletId,
      operation_group_id: params.operationGroupId,
    });
    return changed.ok ? okWritten(changed.value) : refuse(changed);
  });

export const groupEndpoints: readonly Endpoint[] = [
  initialiseEndpoint,
  listEndpoint,
  pendingEndpoint,
  getEndpoint,
  changeEndpoint(confirmGroupRoute, "confirmGroup"),
  changeEndpoint(cancelGroupRoute, "cancelGroup"),
  changeEndpoint(terminateGroupRoute, "terminateGroup"),
];
