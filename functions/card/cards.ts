/** Cards: create, read, list, set the references, lock, unlock, block, delete. */
import {
  blockCardRoute,
  createCardRoute,
  deleteCardRoute,
  getCardHistoryRoute,
  getCardRoute,
  listCardsRoute,
  lockCardRoute,
  unlockCardRoute,
  updateCardRoute,
} from "../../shared/contracts/card/cards.js";
import { createCard, listCards, readCard, updateCard } from "../../shared/database/card/cards.js";
import { changeCard } from "../../shared/database/card/changes.js";
import { readCardHistory } from "../../shared/database/card/history.js";
import { checkedRange } from "../../shared/domain/date-range.js";
import { endpoint } from "../kit/endpoint.js";

const listCardsEndpoint = endpoint(
  listCardsRoute,
  async ({ database }, { params, query, caller, ok, refuse }) => {
    const page = await listCards(database, caller, params.id, query);
    return page.ok ? ok(page.value) : refuse(page);
  },
);

const createCardEndpoint = endpoint(
  createCardRoute,
  async ({ database }, { params, body, caller, ok, refuse }) => {
    const { productCode } = caller.settings.cards;
    const created = await createCard(database, caller, params.id, body, productCode);
    return created.ok ? ok(created.value) : refuse(created);
  },
);

const getCardEndpoint = endpoint(
  getCardRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const found = await readCard(database, caller, params.cardId);
    return found.ok ? ok(found.value) : refuse(found);
  },
);

const updateCardEndpoint = endpoint(
  updateCardRoute,
  async ({ database }, { params, body, caller, ok, refuse }) => {
    const updated = await updateCard(database, caller, params.cardId, body);
    return updated.ok ? ok(updated.value) : refuse(updated);
  },
);

const byStatus = { status: "CardStatusInvalid", level: "CardStatusInvalid" } as const;
const byLevel = { status: "CardStatusInvalid", level: "LockLevelInsufficient" } as const;

const lockCardEndpoint = endpoint(
  lockCardRoute,
  async ({ database }, { params, query, body, caller, ok, refuse }) => {
    const given = { level: query.level, reason: query.lockType, note: body.note };
    const locked = await changeCard(database, caller, params.id, "lock", given, byStatus);
    return locked.ok ? ok(locked.value) : refuse(locked);
  },
);

const unlockCardEndpoint = endpoint(
  unlockCardRoute,
  async ({ database }, { params, query, body, caller, ok, refuse }) => {
    const given = { level: query.level, reason: null, note: body.note };
    const unlocked = await changeCard(database, caller, params.id, "unlock", given, byLevel);
    return unlocked.ok ? ok(unlocked.value) : refuse(unlocked);
  },
);

const blockCardEndpoint = endpoint(
  blockCardRoute,
  async ({ database }, { params, query, caller, ok, refuse }) => {
    const given = { level: null, reason: query.reasonCode, note: null };
    const blocked = await changeCard(database, caller, params.id, "block", given, byStatus);
    return blocked.ok ? ok(blocked.value) : refuse(blocked);
  },
);

const deleteCardEndpoint = endpoint(
  deleteCardRoute,
  async ({ database }, { params, query, caller, ok, refuse }) => {
    const given = { level: null, reason: query.reasonCode, note: null };
    const deleted = await changeCard(database, caller, params.cardId, "delete", given, byStatus);
    return deleted.ok ? ok(deleted.value) : refuse(deleted);
  },
);

const getCardHistoryEndpoint = endpoint(
  getCardHistoryRoute,
  async ({ database }, { params, query, caller, ok, refuse }) => {
    const range = checkedRange(query);
    if (!range.ok) return refuse(range);
    const changes = await readCardHistory(database, caller, params.cardId, range.value, query);
    return changes.ok ? ok(changes.value) : refuse(changes);
  },
);

export const cardEndpoints = [
  listCardsEndpoint,
  createCardEndpoint,
  getCardEndpoint,
  updateCardEndpoint,
  lockCardEndpoint,
  unlockCardEndpoint,
  blockCardEndpoint,
  deleteCardEndpoint,
  getCardHistoryEndpoint,
];
