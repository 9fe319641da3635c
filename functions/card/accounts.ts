/** Card accounts: read, find, set the reference, lock, unlock, block, delete. */
import {
  blockAccountRoute,
  deleteAccountRoute,
  getAccountHistoryRoute,
  getAccountRoute,
  lockAccountRoute,
  searchAccountsRoute,
  unlockAccountRoute,
  updateAccountRoute,
} from "../../shared/contracts/card/accounts.js";
import { findAccount, searchAccounts, updateAccount } from "../../shared/database/card/accounts.js";
import { changeAccount } from "../../shared/database/card/changes.js";
import { readAccountHistory } from "../../shared/database/card/history.js";
import { checkedRange } from "../../shared/domain/date-range.js";
import { endpoint } from "../kit/endpoint.js";

const getAccountEndpoint = endpoint(
  getAccountRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const found = await findAccount(database, caller, params.id);
    return found.ok ? ok(found.value) : refuse(found);
  },
);

const updateAccountEndpoint = endpoint(
  updateAccountRoute,
  async ({ database }, { params, body, caller, ok, refuse }) => {
    const updated = await updateAccount(database, caller, params.id, body);
    return updated.ok ? ok(updated.value) : refuse(updated);
  },
);

const searchAccountsEndpoint = endpoint(
  searchAccountsRoute,
  async ({ database }, { query, body, caller, ok }) =>
    ok(await searchAccounts(database, caller, body.accountNumber, query)),
);

const byStatus = { status: "AccountStatusInvalid", level: "AccountStatusInvalid" } as const;
const byLevel = { status: "AccountStatusInvalid", level: "LockLevelInsufficient" } as const;

const lockAccountEndpoint = endpoint(
  lockAccountRoute,
  async ({ database }, { params, query, caller, ok, refuse }) => {
    const given = { level: query.level, reason: query.lockType, note: null };
    const locked = await changeAccount(database, caller, params.id, "lock", given, byLevel);
    return locked.ok ? ok(locked.value) : refuse(locked);
  },
);

const unlockAccountEndpoint = endpoint(
  unlockAccountRoute,
  async ({ database }, { params, query, caller, ok, refuse }) => {
    const given = { level: query.level, reason: null, note: null };
    const unlocked = await changeAccount(database, caller, params.id, "unlock", given, byLevel);
    return unlocked.ok ? ok(unlocked.value) : refuse(unlocked);
  },
);

const blockAccountEndpoint = endpoint(
  blockAccountRoute,
  async ({ database }, { params, query, caller, ok, refuse }) => {
    const given = { level: null, reason: query.accountBlockRequestReasonCode, note: null };
    const blocked = await changeAccount(database, caller, params.id, "block", given, byStatus);
    return blocked.ok ? ok(blocked.value) : refuse(blocked);
  },
);

const deleteAccountEndpoint = endpoint(
  deleteAccountRoute,
  async ({ database }, { params, query, caller, ok, refuse }) => {
    const given = { level: null, reason: query.reasonCode, note: null };
    const deleted = await changeAccount(database, caller, params.id, "delete", given, byStatus);
    return deleted.ok ? ok(deleted.value) : refuse(deleted);
  },
);

const getAccountHistoryEndpoint = endpoint(
  getAccountHistoryRoute,
  async ({ database }, { params, query, caller, ok, refuse }) => {
    const range = checkedRange(query);
    if (!range.ok) return refuse(range);
    const changes = await readAccountHistory(database, caller, params.id, range.value, query);
    return changes.ok ? ok(changes.value) : refuse(changes);
  },
);

export const accountEndpoints = [
  getAccountEndpoint,
  updateAccountEndpoint,
  searchAccountsEndpoint,
  lockAccountEndpoint,
  unlockAccountEndpoint,
  blockAccountEndpoint,
  deleteAccountEndpoint,
  getAccountHistoryEndpoint,
];
