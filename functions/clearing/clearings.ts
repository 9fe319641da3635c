/** Clearing bookmarks, what the processor sent for them and what they gave each affiliate. */
import {
  deleteIncomingClearingRoute,
  deleteOutgoingClearingRoute,
  listClearingBookmarksRoute,
  listIncomingClearingsRoute,
  listOutgoingClearingsRoute,
} from "../../shared/contracts/clearing/clearings.js";
import {
  listBookmarks,
  listIncoming,
  listOutgoing,
} from "../../shared/database/clearing/clearings.js";
import { deleteIncoming, deleteOutgoing } from "../../shared/database/clearing/deletions.js";
import { checkedRange } from "../../shared/domain/date-range.js";
import { endpoint } from "../kit/endpoint.js";

const listClearingBookmarks = endpoint(
  listClearingBookmarksRoute,
  async ({ database, config }, { query, ok, refuse }) => {
    const range = checkedRange(query);
    if (!range.ok) return refuse(range);
    return ok(await listBookmarks(database, config.card.issuer, range.value, query));
  },
);

const listIncomingClearings = endpoint(
  listIncomingClearingsRoute,
  async ({ database }, { params, ok, refuse }) => {
    const listed = await listIncoming(database, params.bookmarkId);
    return listed.ok ? ok(listed.value) : refuse(listed);
  },
);

const listOutgoingClearings = endpoint(
  listOutgoingClearingsRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const whose = caller.readsAll ? null : caller.partnerKey;
    const listed = await listOutgoing(database, params.bookmarkId, whose);
    return listed.ok ? ok(listed.value) : refuse(listed);
  },
);

const deleteIncomingClearing = endpoint(
  deleteIncomingClearingRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const { bookmarkId, incomingClearingId } = params;
    const deleted = await deleteIncoming(database, caller, bookmarkId, incomingClearingId);
    return deleted.ok ? ok(deleted.value) : refuse(deleted);
  },
);

const deleteOutgoingClearing = endpoint(
  deleteOutgoingClearingRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const { bookmarkId, outgoingClearingId } = params;
    const { partnerKey, clientId, readsAll } = caller;
    const deleted = await deleteOutgoing(
      database,
      { partnerKey, clientId, mayAll: readsAll },
      bookmarkId,
      outgoingClearingId,
    );
    return deleted.ok ? ok(deleted.value) : refuse(deleted);
  },
);

export const clearingRecordEndpoints = [
  listClearingBookmarks,
  listIncomingClearings,
  listOutgoingClearings,
  deleteIncomingClearing,
  deleteOutgoingClearing,
] as const;
