/** What must hold of the books and of what was told, whatever operations were asked for. */
import { z } from "zod";
import type { Database } from "../../../shared/database/platform/database.js";
import { rowsOf } from "../database/connections.js";

const Wrong = z.object({ rule: z.string(), subject: z.string(), found: z.string() });
type Wrong = z.infer<typeof Wrong>;

/** Each row of this query is one thing that is wrong. */
export const rulesOfBooks = `
  select 'a transaction sums to zero' as rule, transaction_id::text as subject,
    sum(amount_cents)::text as found
  from borsello.entry group by transaction_id having sum(amount_cents) <> 0
  union all
  select 'a balance is the replay of its entries', bucket_id::text,
    concat_ws(' ', balance_cents, entries_cents)
  from borsello.bucket_mismatch
  union all
  select 'no available balance is below zero', bucket_id::text,
    (balance_cents - borsello.held_of(wallet_id, bucket_id))::text
  from borsello.bucket where balance_cents < borsello.held_of(wallet_id, bucket_id)
  union all
  select 'operations are counted by type and status', concat_ws(' ', partner_key, type, status),
    concat_ws(' ', counted.operations, existing.operations)
  from (
      select partner_key, type, status, sum(operations)::bigint as operations
      from borsello.operation_count group by partner_key, type, status
    ) as counted
    full join borsello.operation_count_of_operations as existing
      using (partner_key, type, status)
  where coalesce(counted.operations, 0) <> coalesce(existing.operations, 0)
  union all
  select 'funds are counted by dealer', concat_ws(' ', partner_key, dealer_key),
    concat_ws(' ', counted.available_cents, existing.available_cents)
  from (
      select partner_key, dealer_key, sum(available_cents)::bigint as available_cents
      from borsello.wallet_count group by partner_key, dealer_key
    ) as counted
    full join borsello.wallet_count_of_wallets as existing using (partner_key, dealer_key)
  where coalesce(counted.available_cents, 0) <> coalesce(existing.available_cents, 0)
  union all
  select 'an operation moves what it says', operation_id::text, concat_ws(' ', status, moved)
  from (
    select o.operation_id, o.status, coalesce(sum(entry.amount_cents), 0) as moved,
      case when o.confirmation_date is null or o.status = 'Terminated' then 0
        when o.income then o.net_amount_cents
        when o.type = 'Payment' then -o.amount_cents
        else -o.final_amount_cents end as owed
    from borsello.operation as o join borsello.bucket using (bucket_id)
      left join borsello.ledger_transaction as t using (operation_id)
      left join borsello.entry
        on entry.transaction_id = t.transaction_id and entry.account_id = bucket.account_id
    where o.status in ('Initialized', 'Confirmed', 'Cancelled', 'Expired', 'Terminated')
    group by o.operation_id
  ) as movement where moved <> owed
  union all
  select 'each change of an operation is told once, in its order', operation_id,
    concat_ws(' ', max(status), string_agg(subject, ' ' order by outbox_id))
  from (
    select partner_key, operation_id::text as operation_id, status, null as subject,
      null as outbox_id, concat_ws(' ', 'OperationInitialized',
        case when confirmation_date is not null then 'OperationConfirmed TransactionConfirmed' end,
        case when status in ('Cancelled', 'Expired', 'Terminated') then 'OperationCancelled' end,
        case when status = 'Terminated' and confirmation_date is not null
          then 'TransactionConfirmed' end) as due
    from borsello.operation
    where status in ('Initialized', 'Confirmed', 'Cancelled', 'Expired', 'Terminated')
    union all
    select partner_key, body ->> 'operationId', null, subject, outbox_id, null from borsello.outbox
  ) as event
  group by partner_key, operation_id
  having max(due) is not null and string_agg(subject, ' ' order by outbox_id) is distinct from max(due)
  union all
  select 'each change of an operation is audited once', operation_id::text, concat_ws(' ', status, audited)
  from (
    select o.operation_id, o.status, change.audited,
      concat_ws(' ', 'Initialized',
        case when o.confirmation_date is not null then 'Confirmed' end,
        case when o.status in ('Cancelled', 'Expired', 'Terminated') then o.status end) as due
    from borsello.operation as o left join (
        select entity_id, string_agg(to_status, ' ' order by audit_id) as audited
        from borsello.audit where entity = 'Operation' group by entity_id
      ) as change on change.entity_id = o.operation_id::text
    where o.status in ('Initialized', 'Confirmed', 'Cancelled', 'Expired', 'Terminated')
  ) as change where audited is distinct from due`;

/** Empty where all is well; at most twenty of what is not. However much there is, it may be looked through. */
export const wrongInBooks = async ({ pool }: Pick<Database, "pool">): Promise<Wrong[]> => {
  const url = pool.options.connectionString ?? "";
  const found = await rowsOf(url, `select * from (${rulesOfBooks}) as wrong limit 20`);
  return found.map((row) => Wrong.parse(row));
};
