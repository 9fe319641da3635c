/** Every operation moved what its type and status say (contract 4.6), and was audited into that status. */
import { z } from "zod";
import { operationFault } from "../../domain/ledger/expected-entries.js";
import type { Book, Report } from "./book.js";

const Cents = z.string().transform(BigInt);

const Operation = z.object({
  operationId: z.string(),
  type: z.string(),
  status: z.string(),
  auditedStatus: z.string().nullable(),
  /** Whether its audit rows may have been forgotten. */
  isOld: z.boolean(),
  isHarvesting: z.boolean(),
  isBucketOwn: z.boolean(),
  income: z.boolean(),
  amountCents: Cents,
  finalAmountCents: Cents,
  netAmountCents: Cents,
  feesAmountCents: Cents,
  listedFeesCents: Cents,
  isReversed: z.boolean(),
  moved: z.record(z.string(), Cents),
});

const Page = z.object({ operations: z.array(Operation) });

const rowsPerPage = 2_000;

const selectPage = `
  with page as (
    select * from borsello.operation
    where operation_id > $1::uuid order by operation_id limit ${rowsPerPage}
  )
  select coalesce(json_agg(json_build_object(
    'operationId', o.operation_id, 'type', o.type, 'status', o.status,
    'auditedStatus', (
      select to_status from borsello.audit
      where entity = 'Operation' and entity_id = o.operation_id::text and to_status is not null
      order by audit_id desc limit 1),
    'isOld', o.creation_date <= (select through from borsello.audit_forgotten),
    'isHarvesting', o.wallet_id is null,
    'isBucketOwn', bucket.wallet_id is not distinct from o.wallet_id, 'income', o.income,
    'amountCents', o.amount_cents::text, 'finalAmountCents', o.final_amount_cents::text,
    'netAmountCents', o.net_amount_cents::text, 'feesAmountCents', o.fees_amount_cents::text,
    'listedFeesCents', (
      select round(coalesce(sum((fee ->> 'amount')::numeric), 0) * 100)::bigint::text
      from json_array_elements(o.fees) as fee),
    'isReversed', exists (
      select from borsello.ledger_transaction
      where cause_id = o.operation_id and kind = 'Reversal'),
    'moved', coalesce(moved.sums, '{}')
  ) order by o.operation_id), '[]') as operations
  from page as o left join borsello.bucket using (bucket_id)
    cross join lateral (
      select json_object_agg(name, cents::text) as sums from (
        select name, sum(case when name = 'Foreign' then abs(amount_cents) else amount_cents end)
          as cents
        from borsello.ledger_transaction join borsello.entry using (transaction_id)
          join borsello.account using (account_id)
          cross join lateral (
            select case
              when account.kind = 'Bucket' and account_id is distinct from bucket.account_id
                or account.kind = 'Store' and reference is distinct from o.store_id::text
                or account.partner_key <> o.partner_key then 'Foreign'
              else account.kind end as name
          ) as named
        where cause_id = o.operation_id group by name
      ) as summed
    ) as moved`;

const faultOf = (operation: z.infer<typeof Operation>): string | undefined => {
  const { status, auditedStatus, isOld, isHarvesting, isBucketOwn, moved } = operation;
  if (auditedStatus !== status && !(auditedStatus === null && isOld))
    return `it is ${status}, and was last audited as ${auditedStatus ?? "nothing"}`;
  if (!isBucketOwn) return "its bucket is another wallet's";
  // The members of a harvesting moved the money (contract 0.4).
  if (isHarvesting)
    return Object.keys(moved).length === 0 ? undefined : "it is a harvesting and has entries";
  return operationFault(operation);
};

const beforeAll = "00000000-0000-0000-0000-000000000000";

export const checkOperations = async (book: Book, report: Report): Promise<void> => {
  let last: string | undefined = beforeAll;
  while (last !== undefined) {
    const { operations }: z.infer<typeof Page> = await book.row(Page, selectPage, [last]);
    for (const operation of operations) {
      const fault = faultOf(operation);
      if (fault !== undefined) report.find(`${operation.type} ${operation.operationId}`, fault);
    }
    report.advance(operations.length);
    last = operations.at(-1)?.operationId;
  }
};
