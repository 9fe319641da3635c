/** Deletes a store: its row stays for what names it, its mandate is disabled, nothing shows it any more. */
import { z } from "zod";
import { Store } from "../../contracts/stores/stores.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Database, Queryable } from "../platform/database.js";
import { disableOpenStoreMandate } from "./mandates.js";
import { lockStore, type StorePath, type StoreRefusal } from "../access/store-access.js";
import type { Actor } from "../access/wallet-access.js";

const Unsettled = z.object({
  operations: z.bigint(),
  bankNotifications: z.bigint(),
  reconciliations: z.bigint(),
});

/** What still has to be settled with the store, by kind; undefined: nothing. */
const unsettledAt = async (
  tx: Queryable,
  storeId: string,
): Promise<Readonly<Record<string, string>> | undefined> => {
  const found = await tx.row(
    Unsettled,
    `select borsello.unsettled_operations($1) as operations,
       borsello.open_store_notifications($1) as "bankNotifications",
       borsello.open_reconciliations($1) as reconciliations`,
    [storeId],
  );
  const counts = Object.entries(found ?? {}).filter(([, count]) => count > 0n);
  return counts.length === 0
    ? undefined
    : Object.fromEntries(counts.map(([kind, count]) => [kind, String(count)]));
};

const markDeleted = `
  with changed as (
    update borsello.store as s set deletion_date = borsello.platform_now(), is_active = false,
      last_update_date = borsello.platform_now(), version = version + 1
    where store_id = $1
    returning s, borsello.store_state(old) as state_before
  )
  select borsello.store_record(s) as store,
    borsello.record_store_change(s, $2, 'delete', 'StoreDeleted', state_before)
  from changed`;

export const deleteStore = (
  database: Database,
  actor: Actor,
  path: StorePath,
): Promise<Outcome<Store, StoreRefusal | "StoreHasPendingReconciliations">> =>
  database.transaction(async (tx) => {
    const locked = await lockStore(tx, actor, path);
    if (!locked.ok) return locked;
    const { storeId } = path;
    const unsettled = await unsettledAt(tx, storeId);
    if (unsettled !== undefined) return refusal("StoreHasPendingReconciliations", unsettled);
    await disableOpenStoreMandate(tx, actor, storeId);
    const values = [storeId, actor.clientId];
    const deleted = await tx.row(z.object({ store: Store }), markDeleted, values);
    if (deleted === undefined) throw new Error("A locked store was gone before its deletion.");
    return success(deleted.store);
  });
