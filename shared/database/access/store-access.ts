/** Whose store it is: dealers belong to partners, and stores to dealers. */
import { z } from "zod";
import { refusal, success, type Outcome, type Refusal } from "../../domain/outcome.js";
import type { Queryable } from "../platform/database.js";
import { findDealer, type DealerReader, type DealerRefusal } from "./dealers.js";
import type { Actor, Reader } from "./wallet-access.js";

export type StoreRefusal = DealerRefusal | "StoreNotFound";

export interface StorePath {
  readonly dealerKey: string;
  readonly storeId: string;
}

/** Why a command touched no store: what the path names is looked at after the fact. */
export const whyNoStore = async (
  database: Queryable,
  reader: DealerReader,
  dealerKey: string,
  store: { readonly storeId: string } | { readonly code: string },
): Promise<Refusal<StoreRefusal>> => {
  const dealer = await findDealer(database, reader, dealerKey);
  return dealer.ok ? refusal("StoreNotFound", { ...store }) : dealer;
};

const LockedStore = z.object({
  partnerKey: z.string(),
  dealerKey: z.string(),
  ownerName: z.string().nullable(),
  ownerIban: z.string().nullable(),
  address: z.string(),
  city: z.string(),
});
export type LockedStore = z.infer<typeof LockedStore>;

const lock = (tx: Queryable, storeId: string): Promise<LockedStore | undefined> =>
  tx.row(
    LockedStore,
    `select partner_key as "partnerKey", dealer_key as "dealerKey", owner_name as "ownerName",
       owner_iban as "ownerIban", address, city
     from borsello.store where store_id = $1 and deletion_date is null for no key update`,
    [storeId],
  );

/** The store's row is the one lock of its mandate and of its deletion. */
export const lockStore = async (
  tx: Queryable,
  actor: Actor,
  { dealerKey, storeId }: StorePath,
): Promise<Outcome<LockedStore, StoreRefusal>> => {
  const found = await lock(tx, storeId);
  return found?.dealerKey === dealerKey && found.partnerKey === actor.partnerKey
    ? success(found)
    : whyNoStore(tx, actor, dealerKey, { storeId });
};

/** The same where the path names no dealer. */
export const lockStoreById = async (
  tx: Queryable,
  { partnerKey }: Actor,
  storeId: string,
): Promise<Outcome<LockedStore, "StoreNotFound" | "DealerOfAnotherPartner">> => {
  const found = await lock(tx, storeId);
  if (found === undefined) return refusal("StoreNotFound", { storeId });
  return found.partnerKey === partnerKey
    ? success(found)
    : refusal("DealerOfAnotherPartner", { storeId });
};

const StorePartner = z.object({ partnerKey: z.string() });

/** Whose store it is, for somebody who reads what belongs to it. */
export const storePartner = async (
  database: Queryable,
  { partnerKey, isOperator }: Reader,
  storeId: string,
): Promise<Outcome<z.infer<typeof StorePartner>, "StoreNotFound" | "DealerOfAnotherPartner">> => {
  const found = await database.row(
    StorePartner,
    `select partner_key as "partnerKey" from borsello.store
     where store_id = $1 and deletion_date is null`,
    [storeId],
  );
  if (found === undefined) return refusal("StoreNotFound", { storeId });
  return found.partnerKey === partnerKey || isOperator
    ? success(found)
    : refusal("DealerOfAnotherPartner", { storeId });
};
