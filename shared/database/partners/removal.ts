/** Removes a partner that nothing is left of: whoever calls as it is refused, what names it goes on naming it. */
import { z } from "zod";
import pg from "pg";
import type { Database, Queryable } from "../platform/database.js";
import { auditPartner } from "./audit.js";
import { lockPartners } from "./registration.js";

const Left = z.object({ what: z.string(), count: z.int(), toDo: z.string() });

/** Counted up to a thousand: what matters is whether there is any. */
const selectLeft = `
  select what, count, "toDo" from (
    select 1 as place, 'wallets that are not closed' as what, 'close them' as "toDo",
      (select count(*)::int from (select from borsello.wallet
        where partner_key = $1 and status <> 'Closed' limit 1000) as w) as count
    union all
    select 2, 'accounts of the ledger that hold money or owe it', 'settle them',
      (select count(*)::int from (select from borsello.account as a
        where a.partner_key = $1 and a.kind in ('Bucket', 'Suspense', 'Transit', 'Store')
          and (select coalesce(sum(amount_cents), 0) from borsello.entry as e
            where e.account_id = a.account_id) <> 0 limit 1000) as a)
    union all
    select 3, 'stores that are not deleted', 'delete them',
      (select count(*)::int from (select from borsello.store
        where partner_key = $1 and deletion_date is null limit 1000) as s)
    union all
    select 4, 'bank notifications that are open', 'approve or reject them',
      (select count(*)::int from (select from borsello.bank_notification
        where partner_key = $1 and status not in ('Consumed', 'Rejected') limit 1000) as n)
    union all
    select 5, 'tickets that are open', 'close them',
      (select count(*)::int from (select from borsello.ticket
        where partner_key = $1 and status not in ('Closed', 'Canceled', 'Rejected')
        limit 1000) as t)
    union all
    select 6, 'messages that wait in the outbox', 'wait until they are sent',
      -- What was given up on reaches nobody any more, whether the topic is there or not.
      (select count(*)::int from (select from borsello.outbox as o
        where partner_key = $1 and sent_at is null and not exists (
          select from borsello.held_message as h
          where h.outbox_id = o.outbox_id and h.given_up_at is not null) limit 1000) as o)
    union all
    select 7, 'replays of its events that are under way', 'wait until they have ended',
      (select count(*)::int from borsello.replay where partner_key = $1 and ended_at is null)
    union all
    select 8, 'card accounts that are not deleted', 'delete them',
      (select count(*)::int from (select from borsello.card_account
        where partner_key = $1 and status <> 'DELETED' limit 1000) as a)
    union all
    select 9, 'presentments and fees that are not cleared', 'have them cleared',
      (select count(*)::int from (select from borsello.clearing_item
        where partner_key = $1 and incoming_clearing_id is null limit 1000) as i)
    union all
    select 10, 'clearing files that are not written', 'have them exported',
      (select count(*)::int from (select from borsello.outgoing_clearing
        where partner_key = $1 and delivered_at is null limit 1000) as o)
  ) as found where count > 0 order by place`;

/** What speaks against the removal, as sentences. */
export const removalFaults = async (
  queryable: Queryable,
  partnerKey: string,
): Promise<string[]> => {
  const isOperator = await queryable.execute(
    "select from borsello.partner where partner_key = $1 and is_operator",
    [partnerKey],
  );
  if (isOperator > 0) return ["It is the operator: what arrives for nobody lies in its books."];
  const left = await queryable.rows(Left, selectLeft, [partnerKey]);
  return left.map(
    ({ what, count, toDo }) =>
      `It has ${count === 1000 ? "1,000 or more" : count} ${what}: ${toDo}.`,
  );
};

/**
 * Lets nobody in as the partner any more; the sentences that speak against it. Instances remember a partner for
 * some seconds: what it did meanwhile is seen by whoever looks again afterwards.
 */
export const beginRemoval = (database: Database, partnerKey: string): Promise<string[]> =>
  database.transaction(async (tx) => {
    await lockPartners(tx);
    const faults = await removalFaults(tx, partnerKey);
    if (faults.length > 0) return faults;
    const marked = await tx.execute(
      `update borsello.partner set removed_at = now()
       where partner_key = $1 and removed_at is null`,
      [partnerKey],
    );
    if (marked > 0) await auditPartner(tx, partnerKey, "remove", {});
    return [];
  });

/** Looks again; a partner that did something meanwhile is let in as before, and the sentences say what. */
export const confirmRemoval = (database: Database, partnerKey: string): Promise<string[]> =>
  database.transaction(async (tx) => {
    await lockPartners(tx);
    const faults = await removalFaults(tx, partnerKey);
    if (faults.length === 0) return [];
    await tx.execute("update borsello.partner set removed_at = null where partner_key = $1", [
      partnerKey,
    ]);
    await auditPartner(tx, partnerKey, "keep", { faults });
    return faults;
  });

/** `deleted`: nothing ever named it, so that its name and client id are free again. */
export type Removal = "deleted" | "kept";

const foreignKeyViolation = "23503";

const deleteUnused = `
  with former as (delete from borsello.former_auth_key where partner_key = $1),
    dealers as (delete from borsello.dealer where partner_key = $1)
  delete from borsello.partner where partner_key = $1`;

/** What is kept by its name without being tied to its row: another partner of that name would read it as its own. */
const selectKept = `
  select from borsello.partner_sequence where partner_key = $1
  union all
  select from borsello.kept_answer where partner_key = $1`;

/** The row goes, unless something names it, or events or answers are kept by its name. */
export const deleteUnusedPartner = (database: Database, partnerKey: string): Promise<Removal> =>
  database
    .transaction(async (tx): Promise<Removal> => {
      await lockPartners(tx);
      if ((await tx.execute(selectKept, [partnerKey])) > 0) return "kept";
      await tx.execute(deleteUnused, [partnerKey]);
      await auditPartner(tx, partnerKey, "delete", {});
      return "deleted";
    })
    .catch((error: unknown): Removal => {
      if (error instanceof pg.DatabaseError && error.code === foreignKeyViolation) return "kept";
      throw error;
    });
