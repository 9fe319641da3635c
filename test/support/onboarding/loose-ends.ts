/** What must not be left over once everybody has answered: transfers, mandates and flows that hang. */
import type { BankNotificationMessage } from "../../../shared/contracts/platform/bank-messages.js";
import type { RandomBank } from "./random-bank.js";

type Rows = readonly Record<string, unknown>[];

/** One row while something is on its way: an event, a message, a turn of a flow. */
export const unsettled = `
  select * from (select
    (select count(*)::int from borsello.outbox where sent_at is null) as unsent,
    (select count(*)::int from durable.message where due_at is null) as turns,
    (select count(*)::int from durable.activity) as activities,
    (select count(*)::int from durable.instance
     where completed_at is null and id like 'run-%') as runs,
    (select count(*)::int from broker.message join broker.entity using (entity_id)
     where path ~ '^(platform-events|bank-)' and path not ilike '%deadletter%') as queued) as left_over
  where unsent + turns + activities + runs + queued > 0`;

/** Wallets whose holder did all that was asked for and that are not onboarded; one that expired stays so. */
export const stillOpen = `
  select w.wallet_id, w.status, w.is_iban_validated, c.status as contract, m.status as mandate,
    o.status as onboarding
  from borsello.wallet as w
  join borsello.onboarding as o using (wallet_id)
  left join borsello.contract as c using (wallet_id)
  left join borsello.mandate as m on m.wallet_id = w.wallet_id and m.status = 'Active'
  where not (w.status = 'Active' and w.is_iban_validated and c.status is not distinct from 'Signed'
    and m.mandate_id is not null and o.status in ('Completed', 'Expired'))`;

export interface Aftermath {
  readonly rowsOf: (text: string) => Promise<Rows>;
  readonly bank: RandomBank;
  readonly transfers: ReadonlyMap<string, BankNotificationMessage>;
}

/** The id of the flow of the attempt that is under way now. */
const presentOnboarding = `
  'onboarding-' || o.wallet_id || case o.attempt when 1 then '' else '-' || o.attempt end`;

/** Each with the name of what is wrong; all of these are wrong by their mere presence. */
const wrong = `
  select 'a transfer without credit or feedback' as wrong, transaction_reference as what,
    json_build_object('status', status, 'walletId', wallet_id, 'type', reconciliation_type,
      'rule', failed_rule, 'due', is_due, 'attempt', iban_attempt) as found
  from borsello.bank_notification
  where not (status = 'Received' and coalesce(feedback, '') <> '' or status = 'Rejected'
    or status = 'Consumed' and (operation_id is not null or reconciliation_type in ('Mandate', 'Return')))
  union all
  select 'a transfer kept twice', min(transaction_reference), json_build_object('times', count(*))
  from borsello.bank_notification where transaction_reference like 'transfer-%'
  group by transaction_reference having count(*) > 1
  union all
  select 'a credit that is not the transfer''s', n.transaction_reference,
    json_build_object('credited', o.amount_cents, 'sent', n.amount_cents)
  from borsello.bank_notification as n join borsello.operation as o using (operation_id)
  where n.status = 'Consumed' and o.amount_cents <> n.amount_cents
  union all
  select 'a wallet with two open mandates', wallet_id::text, json_agg(status)
  from borsello.mandate
  where status in ('Draft', 'Filled', 'ActivationRequested', 'Active', 'DisableRequested')
  group by wallet_id having count(*) > 1
  union all
  select 'a mandate that still waits for the bank', mandate_id::text, to_json(status)
  from borsello.mandate where status in ('ActivationRequested', 'DisableRequested')
  union all
  select 'a mandate of a wallet that is closed', mandate_id::text, to_json(m.status)
  from borsello.mandate as m join borsello.wallet as w using (wallet_id)
  where w.status = 'Closed' and m.status in ('Draft', 'Filled', 'Active')
  union all
  select 'a contract that is still being sealed', wallet_id::text, to_json(status)
  from borsello.contract where status = 'Signing'
  union all
  select 'a flow that failed', id, to_json(output)
  from durable.instance where status in ('Failed', 'Terminated')
  union all
  select 'a dead letter', message_id, json_build_object('path', path,
    'message', regexp_replace(encode(bare, 'escape'), '[^ -~]', '', 'g'))
  from broker.message join broker.entity using (entity_id) where path ilike '%deadletter%'
  union all
  select 'books that do not balance', 'entries', to_json(sum(amount_cents))
  from borsello.entry having sum(amount_cents) <> 0
  union all
  select 'an operation that is settled to no end', operation_id::text, to_json(status)
  from borsello.operation where status not in ('Initialized', 'Completed', 'Cancelled', 'Expired',
    'Terminated', 'OutgoingPaymentRejected')
  union all
  select 'a request that the bank has decided and the platform has not heard of', request_id::text,
    json_build_object('kind', kind, 'status', status)
  from borsello.bank_request where kind <> 'mandateActivation' and kind <> 'mandateRevocation'
    and status in ('Requested', 'Accepted')
  union all
  select 'a withdrawable cent of a closed wallet', w.wallet_id::text, to_json(balance_cents)
  from borsello.wallet as w join borsello.bucket using (wallet_id)
  where w.status = 'Closed' and w.is_iban_validated and is_withdrawable
    and balance_cents - borsello.held_of(w.wallet_id, bucket_id) > 0
  union all
  select 'a flow that waits for what is over', i.id, to_json(i.custom_status)
  from durable.instance as i
  where completed_at is null and kind = 'orchestration' and not case
    when id like 'iban-%' then exists (select from borsello.iban_validation as v
      where i.id = 'iban-' || v.wallet_id || '-' || v.attempt and v.status = 'Waiting')
    when id like 'mandate-%' then exists (select from borsello.mandate as m
      where i.id like 'mandate-' || m.mandate_id || '%' and m.status = 'Active')
    when id like 'onboarding-%' then exists (select from borsello.onboarding as o
      where i.id = ${presentOnboarding} and o.status = 'Running')
    else false end
  union all
  select 'a validation that nobody follows', v.wallet_id::text, to_json(v.attempt)
  from borsello.iban_validation as v
  where v.status = 'Waiting' and not exists (select from durable.instance
    where id = 'iban-' || v.wallet_id || '-' || v.attempt and completed_at is null)
  union all
  select 'an onboarding that nobody follows', o.wallet_id::text, to_json(o.status)
  from borsello.onboarding as o
  where o.status = 'Running' and not exists (select from durable.instance
    where id = ${presentOnboarding} and completed_at is null)
  union all
  select 'an active mandate that nobody follows', m.mandate_id::text, to_json(m.status)
  from borsello.mandate as m
  where m.status = 'Active' and not exists (select from durable.instance
    where id like 'mandate-' || m.mandate_id || '%' and completed_at is null)`;

/** Mandates on one side only: of the bank, or of the platform. */
const disputed = async ({ rowsOf, bank }: Aftermath): Promise<unknown[]> => {
  const rows = await rowsOf(
    "select mandate_unique_reference as reference, status from borsello.mandate where status = 'Active'",
  );
  const ours = new Set(rows.map(({ reference }) => String(reference)));
  return [
    ...[...bank.live]
      .filter((reference) => !ours.has(reference))
      .map((what) => ({ wrong: "a mandate that lives at the bank alone", what })),
    ...[...ours]
      .filter((reference) => !bank.live.has(reference))
      .map((what) => ({ wrong: "a mandate that the bank does not have", what })),
  ];
};

/** What the books have at the bank, where the bank has something else. */
const misjudged = async ({ rowsOf, bank }: Aftermath): Promise<unknown[]> => {
  const [row] = await rowsOf(
    `select coalesce(-sum(amount_cents), 0)::text as cents
     from borsello.entry join borsello.account using (account_id) where kind = 'Bank'`,
  );
  const has = String(bank.balanceCents);
  return row?.["cents"] === has
    ? []
    : [{ wrong: "books that are not the bank's", what: row?.["cents"], found: has }];
};

/** Transfers that were sent and that the platform does not show. */
const lost = async ({ rowsOf, transfers }: Aftermath): Promise<unknown[]> => {
  const rows = await rowsOf(
    "select transaction_reference as reference from borsello.bank_notification",
  );
  const kept = new Set(rows.map(({ reference }) => String(reference)));
  return [...transfers.keys()]
    .filter((reference) => !kept.has(reference))
    .map((what) => ({ wrong: "a transfer that was lost", what }));
};

/** Everything that is wrong; empty where all adds up. */
export const looseEnds = async (aftermath: Aftermath): Promise<readonly unknown[]> => [
  ...(await aftermath.rowsOf(wrong)),
  ...(await disputed(aftermath)),
  ...(await misjudged(aftermath)),
  ...(await lost(aftermath)),
];
