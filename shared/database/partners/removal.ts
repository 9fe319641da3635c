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
      (select count(*)::int from (select from borsello.outbox
        where partner_key = $1 and sent_at is null limit 1000) as o)
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

/** `deleted`: nothing ever named it, so that its name and client id are free again. */
export type Removal = "deleted" | "kept";

const foreignKeyViolation = "23503";

const deleteUnused = `
  with former as (delete from borsello.former_auth_key where partner_key = $1),
    dealers as (delete from borsello.dealer where partner_key = $1)
  delete from borsello.partner where partner_key = $1`;

export const removePartner = (
  database: Database,
  partnerKey: string,
): Promise<{ readonly faults: readonly string[]; readonly removal: Removal }> =>
  database.enclosed(async (within) => {
    await lockPartners(within);
    const faults = await removalFaults(within, partnerKey);
    if (faults.length > 0) return { faults, removal: "kept" as const };
    const removal = await within
      .transaction(async (part): Promise<Removal> => {
        await part.execute(deleteUnused, [partnerKey]);
        return "deleted";
      })
      .catch((error: unknown): Removal => {
        if (error instanceof pg.DatabaseError && error.code === foreignKeyViolation) return "kept";
        throw error;
      });
    if (removal === "kept")
      await within.execute(
        `with former as (delete from borsello.former_auth_key where partner_key = $1)
         update borsello.partner set removed_at = now()
         where partner_key = $1 and removed_at is null`,
        [partnerKey],
      );
    await auditPartner(within, partnerKey, "remove", { removal });
    return { faults: [], removal };
  });
