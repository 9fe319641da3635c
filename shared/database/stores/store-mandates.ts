/** The partner's store mandates: created under a reference of its own, listed, filled, deleted (contract 3.2, 4.3). */
import { z } from "zod";
import type { Page, Paginated } from "../../contracts/pages.js";
import { StoreMandate, type NewStoreMandate } from "../../contracts/stores/store-mandates.js";
import { refusal, success, type Outcome, type Refusal } from "../../domain/outcome.js";
import { debtorOf } from "../../domain/wallet/debtor.js";
import { lockStoreById } from "../access/store-access.js";
import type { Actor, Reader } from "../access/wallet-access.js";
import { disableMandate } from "../mandates/disabling.js";
import type { CreditorTerms } from "../mandates/signing.js";
import { transition } from "../mandates/transitions.js";
import { uniqueViolation, type Database, type Queryable } from "../platform/database.js";
import { readPage } from "../platform/pages.js";
import { findStoreMandate, insertStoreMandate, isOpen } from "./mandates.js";

const Found = z.object({ mandate: StoreMandate });

export const listStoreMandates = (
  database: Queryable,
  partnerKey: string,
  storeId: string | null,
  page: Page,
): Promise<Paginated<StoreMandate>> =>
  readPage(
    database,
    {
      item: StoreMandate,
      record: "borsello.store_mandate_record(m)",
      from: `borsello.mandate as m where partner_key = $1 and store_id is not null
        and ($2::uuid is null or store_id = $2)`,
      order: "creation_date, mandate_id",
      values: [partnerKey, storeId],
    },
    page,
  );

/** Another partner's is unknown; operators read every partner's. */
export const findStoreMandateById = async (
  database: Queryable,
  { partnerKey, isOperator }: Reader,
  storeMandateId: string,
): Promise<Outcome<StoreMandate, "StoreMandateNotFound">> => {
  const found = await database.row(
    Found,
    `select borsello.store_mandate_record(m) as mandate from borsello.mandate as m
     where mandate_id = $1 and store_id is not null and (partner_key = $2 or $3)`,
    [storeMandateId, partnerKey, isOperator],
  );
  return found === undefined
    ? refusal("StoreMandateNotFound", { storeMandateId })
    : success(found.mandate);
};

const present = async (tx: Queryable, mandateId: string): Promise<StoreMandate> => {
  const found = await tx.row(
    Found,
    "select borsello.store_mandate_record(m) as mandate from borsello.mandate as m where mandate_id = $1",
    [mandateId],
  );
  if (found === undefined) throw new Error("A store mandate was gone within its own transaction.");
  return found.mandate;
};

type CreateRefusal =
  | "StoreNotFound"
  | "DealerOfAnotherPartner"
  | "MandateReferenceAlreadyPresent"
  | "MandateAlreadyPresent"
  | "StoreOwnerDataMissing";

const isTaken = async (tx: Queryable, partnerKey: string, reference: string): Promise<boolean> => {
  const taken = await tx.row(
    z.object({ isTaken: z.boolean() }),
    `select exists (select from borsello.mandate
       where partner_key = $1 and upper(mandate_unique_reference) = upper($2))
     or exists (select from borsello.mandate
       where partner_key = $1 and upper(partner_reference) = upper($2)) as "isTaken"`,
    [partnerKey, reference],
  );
  return taken?.isTaken ?? false;
};

const referenceTaken = (
  mandateUniqueReference: string,
): Refusal<"MandateReferenceAlreadyPresent"> =>
  refusal("MandateReferenceAlreadyPresent", { mandateUniqueReference });

const create = async (
  tx: Queryable,
  actor: Actor,
  { storeId, mandateUniqueReference: given }: NewStoreMandate,
): Promise<Outcome<StoreMandate, CreateRefusal>> => {
  const locked = await lockStoreById(tx, actor, storeId);
  if (!locked.ok) return locked;
  if (await isTaken(tx, actor.partnerKey, given)) return referenceTaken(given);
  const current = await findStoreMandate(tx, storeId);
  if (current !== undefined && isOpen(current))
    return refusal("MandateAlreadyPresent", {
      storeMandateId: current.mandateId,
      mandateStatus: current.status,
    });
  const debtor = debtorOf(locked.value);
  if (!debtor.ok) return debtor;
  const fresh = { storeId, debtor: debtor.value, partnerReference: given };
  return success(await present(tx, await insertStoreMandate(tx, actor, locked.value, fresh)));
};

const referenceConstraints: readonly (string | undefined)[] = [
  "mandate_reference_once",
  "mandate_reference_any_case",
  "mandate_partner_reference_once",
];

export const createStoreMandate = async (
  database: Database,
  actor: Actor,
  given: NewStoreMandate,
): Promise<Outcome<StoreMandate, CreateRefusal>> => {
  try {
    return await database.transaction((tx) => create(tx, actor, given));
  } catch (error) {
    // Another store took the reference between the look and the insertion.
    if (!referenceConstraints.includes(uniqueViolation(error))) throw error;
    return referenceTaken(given.mandateUniqueReference);
  }
};

const fill = `
  with changed as (
    update borsello.mandate as m set status = 'Filled', fill_date = borsello.platform_now(),
      creditor_identifier = $3, creditor_name = $4, creditor_address = $5,
      pre_notification_days = $6
    where mandate_id = $1 and status in ('Draft', 'Filled') and activation_request_date is null
    returning m, old.status as status_before
  )
  select borsello.record_mandate_change(m, $2, 'fill', status_before) from changed`;

type ChangeRefusal = "StoreMandateNotFound" | "MandateStatusInvalid";

/** Changes a mandate of the partner's own; `isAllowed` answers false where its status does not allow it. */
const change = (
  database: Database,
  { partnerKey }: Actor,
  storeMandateId: string,
  isAllowed: (tx: Queryable) => Promise<boolean>,
): Promise<Outcome<StoreMandate, ChangeRefusal>> =>
  database.transaction(async (tx) => {
    const own = { partnerKey, isOperator: false };
    const found = await findStoreMandateById(tx, own, storeMandateId);
    if (!found.ok) return found;
    const isDone = await isAllowed(tx);
    const mandate = await present(tx, storeMandateId);
    return isDone
      ? success(mandate)
      : refusal("MandateStatusInvalid", { mandateStatus: mandate.status });
  });

/** The debtor stays the one of the mandate's making. Once the bank was asked it is answered as it stands. */
export const fillStoreMandate = (
  database: Database,
  actor: Actor,
  storeMandateId: string,
  { identifier, name, address, preNotificationDays }: CreditorTerms,
): Promise<Outcome<StoreMandate, ChangeRefusal>> =>
  change(database, actor, storeMandateId, async (tx) => {
    const creditor = [identifier, name, address, preNotificationDays];
    if (await transition(tx, fill, storeMandateId, actor.clientId, ...creditor)) return true;
    return (await present(tx, storeMandateId)).status === "Filled";
  });

/** Cancelled before its activation, else revoked at the bank. */
export const deleteStoreMandate = (
  database: Database,
  actor: Actor,
  storeMandateId: string,
): Promise<Outcome<StoreMandate, ChangeRefusal>> =>
  change(database, actor, storeMandateId, (tx) => disableMandate(tx, actor, storeMandateId));
