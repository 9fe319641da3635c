/** A store's mandate: made and refreshed from its owner's data, read, disabled (contract 3.2, 4.3). */
import { z } from "zod";
import { MandateOfStore } from "../../contracts/stores/store-mandate.js";
import { isBankReference } from "../../domain/bank/mandate-reference.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import { debtorOf, type Debtor } from "../../domain/wallet/debtor.js";
import { uuidv7 } from "../../platform/ids.js";
import type { Database, Queryable } from "../platform/database.js";
import { uniqueReferenceOf } from "../mandates/mandates.js";
import { disableMandate } from "../mandates/disabling.js";
import { transition } from "../mandates/transitions.js";
import {
  lockStore,
  lockStoreById,
  type LockedStore,
  type StorePath,
  type StoreRefusal,
} from "../access/store-access.js";
import type { Actor } from "../access/wallet-access.js";

/** The store's current mandate: the one made last, open or over. */
export const findStoreMandate = async (
  database: Queryable,
  storeId: string,
): Promise<MandateOfStore | undefined> => {
  const found = await database.row(
    z.object({ mandate: MandateOfStore }),
    `select borsello.mandate_record(m) as mandate from borsello.mandate as m
     where store_id = $1 order by mandate_id desc limit 1`,
    [storeId],
  );
  return found?.mandate;
};

const present = async (tx: Queryable, storeId: string): Promise<MandateOfStore> => {
  const mandate = await findStoreMandate(tx, storeId);
  if (mandate === undefined) throw new Error("A mandate was gone within its own transaction.");
  return mandate;
};

const insert = `
  with made as (
    insert into borsello.mandate as m (mandate_id, store_id, partner_key, mandate_unique_reference,
      partner_reference, metadata, debtor_name, debtor_iban, address_street, city)
    values ($1, $2, $3, $4, $5, $6::json, $7, $8, $9, $10)
    returning m
  )
  select borsello.record_mandate_change(m, $11, 'initialise', null) from made`;

export interface NewMandateOfStore {
  readonly storeId: string;
  readonly debtor: Debtor;
  /** Null: the partner calls it as the bank does. */
  readonly partnerReference: string | null;
}

/** Resolves to its identifier. The caller holds the store's row, and knows that it has no open mandate. */
export const insertStoreMandate = async (
  tx: Queryable,
  { clientId }: Actor,
  { partnerKey, address, city }: LockedStore,
  { storeId, debtor, partnerReference: given }: NewMandateOfStore,
): Promise<string> => {
  const mandateId = uuidv7();
  const own = uniqueReferenceOf(mandateId);
  const bankReference = given !== null && isBankReference(given) ? given : own;
  const metadata =
    given === null || given === bankReference ? null : JSON.stringify({ bankReference });
  const identity = [mandateId, storeId, partnerKey, bankReference, given, metadata];
  await tx.execute(insert, [...identity, debtor.name, debtor.iban, address, city, clientId]);
  return mandateId;
};

const ended: readonly string[] = ["Disabled", "Cancelled", "Rejected"];

export const isOpen = ({ status }: Pick<MandateOfStore, "status">): boolean =>
  !ended.includes(status);

/** Once the bank was asked, the debtor is the one that it knows. */
const refresh = `
  with changed as (
    update borsello.mandate as m set status = 'Draft', fill_date = null, debtor_name = $3,
      debtor_iban = $4, address_street = $5, city = $6
    where mandate_id = $1 and status in ('Draft', 'Filled') and activation_request_date is null
    returning m, old.status as status_before
  )
  select borsello.record_mandate_change(m, $2, 'refresh', status_before) from changed`;

/** Made where none is open, else refreshed; one that was filled with other data is a Draft again. */
export const putStoreMandate = (
  database: Database,
  actor: Actor,
  path: StorePath,
): Promise<
  Outcome<MandateOfStore, StoreRefusal | "StoreOwnerDataMissing" | "MandateStatusInvalid">
> =>
  database.transaction(async (tx) => {
    const locked = await lockStore(tx, actor, path);
    if (!locked.ok) return locked;
    const debtor = debtorOf(locked.value);
    if (!debtor.ok) return debtor;
    const { storeId } = path;
    const current = await findStoreMandate(tx, storeId);
    if (current === undefined || !isOpen(current)) {
      const fresh = { storeId, debtor: debtor.value, partnerReference: null };
      await insertStoreMandate(tx, actor, locked.value, fresh);
      return success(await present(tx, storeId));
    }
    const { address, city } = locked.value;
    const { mandateId } = current;
    const data = [debtor.value.name, debtor.value.iban, address, city];
    const refreshed = await transition(tx, refresh, mandateId, actor.clientId, ...data);
    const mandate = await present(tx, storeId);
    return refreshed
      ? success(mandate)
      : refusal("MandateStatusInvalid", { mandateStatus: mandate.status });
  });

/** Disables what a store that is deleted leaves open; the caller holds the store's row. */
export const disableOpenStoreMandate = async (
  tx: Queryable,
  actor: Actor,
  storeId: string,
): Promise<void> => {
  const current = await findStoreMandate(tx, storeId);
  if (current !== undefined) await disableMandate(tx, actor, current.mandateId);
};

export const disableStoreMandate = (
  database: Database,
  actor: Actor,
  storeId: string,
): Promise<
  Outcome<
    MandateOfStore,
    "StoreNotFound" | "DealerOfAnotherPartner" | "MandateNotFound" | "MandateStatusInvalid"
  >
> =>
  database.transaction(async (tx) => {
    const locked = await lockStoreById(tx, actor, storeId);
    if (!locked.ok) return locked;
    const current = await findStoreMandate(tx, storeId);
    if (current === undefined) return refusal("MandateNotFound", { storeId });
    const disabled = await disableMandate(tx, actor, current.mandateId);
    const mandate = await present(tx, storeId);
    return disabled
      ? success(mandate)
      : refusal("MandateStatusInvalid", { mandateStatus: mandate.status });
  });
