/** A dealer's stores: add, find, update, delete; each change with its audit row and its event. */
import { z } from "zod";
import type { Page, Paginated } from "../../contracts/pages.js";
import { Store, type NewStore, type StoreUpdate } from "../../contracts/stores/stores.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import { uniqueViolation, type Database, type Queryable } from "../platform/database.js";
import { findDealer, type DealerRefusal } from "../access/dealers.js";
import { readPage } from "../platform/pages.js";
import { whyNoStore, type StorePath, type StoreRefusal } from "../access/store-access.js";
import type { Actor, Reader } from "../access/wallet-access.js";

const Found = z.object({ store: Store });

/** Runs a change whose code another store of the dealer may have. */
const unlessTaken = async <Value, Code extends string>(
  { code }: { readonly code: string },
  change: () => Promise<Outcome<Value, Code>>,
): Promise<Outcome<Value, Code | "StoreCodeAlreadyPresent">> => {
  try {
    return await change();
  } catch (error) {
    if (uniqueViolation(error) !== "store_code_once") throw error;
    return refusal("StoreCodeAlreadyPresent", { code });
  }
};

/** `$4` to `$15` of the statements. */
const givenValues = (store: NewStore): readonly unknown[] => [
  store.name,
  store.type,
  store.city,
  store.address,
  store.ownerIban,
  store.ownerName,
  store.email,
  store.phoneNumber,
  store.code,
  store.latitude,
  store.longitude,
  store.metadata === null ? null : JSON.stringify(store.metadata),
];

const insertStore = `
  with fresh as materialized (
    select uuidv7() as store_id from borsello.dealer where dealer_key = $3 and partner_key = $1
  ), changed as (
    insert into borsello.store as s (store_id, partner_key, dealer_key, account_id, name, type,
      city, address, owner_iban, owner_name, email, phone_number, code, latitude, longitude,
      metadata)
    select store_id, $1, $3, borsello.account_for($1, 'Store', store_id::text), $4, $5, $6, $7, $8,
      $9, $10, $11, $12, $13::float8, $14::float8, $15::json
    from fresh
    returning s, null as state_before
  )
  select borsello.store_record(s) as store,
    borsello.record_store_change(s, $2, 'create', 'StoreCreated', state_before)
  from changed`;

export const createStore = (
  database: Database,
  actor: Actor,
  dealerKey: string,
  store: NewStore,
): Promise<Outcome<Store, DealerRefusal | "StoreCodeAlreadyPresent">> =>
  unlessTaken(store, async () => {
    const { partnerKey, clientId } = actor;
    const values = [partnerKey, clientId, dealerKey, ...givenValues(store)];
    const created = await database.command(Found, insertStore, values);
    if (created !== undefined) return success(created.store);
    const dealer = await findDealer(database, actor, dealerKey);
    if (dealer.ok) throw new Error(`The dealer ${dealerKey} got no store, without a reason.`);
    return dealer;
  });

const writeStore = `
  with changed as (
    update borsello.store as s
    set name = $4, type = $5, city = $6, address = $7, owner_iban = $8, owner_name = $9,
      email = $10, phone_number = $11, code = $12, latitude = $13, longitude = $14,
      metadata = $15, is_active = $16,
      last_update_date = borsello.platform_now(), version = version + 1
    where store_id = $17 and dealer_key = $3 and partner_key = $1 and deletion_date is null
    returning s, borsello.store_state(old) as state_before
  )
  select borsello.store_record(s) as store,
    borsello.record_store_change(s, $2, 'update', 'StoreUpdated', state_before)
  from changed`;

export const updateStore = (
  database: Database,
  actor: Actor,
  { dealerKey, storeId }: StorePath,
  update: StoreUpdate,
): Promise<Outcome<Store, StoreRefusal | "StoreCodeAlreadyPresent">> =>
  unlessTaken(update, async () => {
    const { partnerKey, clientId } = actor;
    const given = [...givenValues(update), update.isActive];
    const values = [partnerKey, clientId, dealerKey, ...given, storeId];
    const updated = await database.command(Found, writeStore, values);
    return updated === undefined
      ? whyNoStore(database, actor, dealerKey, { storeId })
      : success(updated.store);
  });

const mayRead = ({ partnerKey, isOperator }: Reader, store: Store): boolean =>
  isOperator || store.partnerKey === partnerKey;

export const findStore = async (
  database: Queryable,
  reader: Reader,
  { dealerKey, storeId }: StorePath,
): Promise<Outcome<Store, StoreRefusal>> => {
  const found = await database.row(
    Found,
    `select borsello.store_record(s) as store from borsello.store as s
     where store_id = $1 and dealer_key = $2 and deletion_date is null`,
    [storeId, dealerKey],
  );
  return found !== undefined && mayRead(reader, found.store)
    ? success(found.store)
    : whyNoStore(database, reader, dealerKey, { storeId });
};

export const findStoreByCode = async (
  database: Queryable,
  reader: Reader,
  { dealerKey, code }: { readonly dealerKey: string; readonly code: string },
): Promise<Outcome<Store, StoreRefusal>> => {
  const found = await database.row(
    Found,
    `select borsello.store_record(s) as store from borsello.store as s
     where dealer_key = $1 and code = $2 and deletion_date is null`,
    [dealerKey, code],
  );
  return found !== undefined && mayRead(reader, found.store)
    ? success(found.store)
    : whyNoStore(database, reader, dealerKey, { code });
};

export const listStores = async (
  database: Queryable,
  reader: Reader,
  dealerKey: string,
  page: Page,
): Promise<Outcome<Paginated<Store>, DealerRefusal>> => {
  const dealer = await findDealer(database, reader, dealerKey);
  if (!dealer.ok) return dealer;
  const stores = await readPage(
    database,
    {
      item: Store,
      record: "borsello.store_record(s)",
      from: "borsello.store as s where dealer_key = $1 and deletion_date is null",
      order: "creation_date, store_id",
      values: [dealerKey],
    },
    page,
  );
  return success(stores);
};

/** Those that exist and that the reader may see. */
export const findStores = async (
  database: Queryable,
  { partnerKey, isOperator }: Reader,
  storeIds: readonly string[],
): Promise<Store[]> => {
  const found = await database.rows(
    Found,
    `select borsello.store_record(s) as store from borsello.store as s
     where store_id = any($1::uuid[]) and deletion_date is null and ($3 or partner_key = $2)
     order by creation_date, store_id`,
    [storeIds, partnerKey, isOperator],
  );
  return found.map(({ store }) => store);
};
