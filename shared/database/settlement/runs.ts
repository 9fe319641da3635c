/** Runs of a flow: asked for by a person or a timer, worked off page by page, forgotten some time after. */
import { z } from "zod";
import type { BankNotificationType } from "../../contracts/platform/bank-messages.js";
import { FlowRun, RequestedRun, type WorkedFlow } from "../../contracts/settlement/flows.js";
import { operationTypes, type OperationType } from "../../domain/operations/families.js";
import type { Database, Queryable } from "../platform/database.js";
import { forgetThreeDs } from "../threeds/cleanup.js";
import { takeDepositOf, takeDeposits } from "./deposits.js";
import { compensateStores } from "./compensations.js";
import { takeBankNotification, takeDueBankNotifications } from "./bank-notifications.js";
import { Begun, taken, type BegunRun, type RunPage, type RunWork } from "./run-work.js";
import { takeDueStoreMandates, takeStoreMandate } from "./store-mandates.js";
import type { SettlementTerms } from "./terms.js";

export interface RunRequest {
  readonly partnerKey: string;
  readonly flow: WorkedFlow;
  readonly actor: string;
  /** Of harvestings: which operations; of bank notifications: which of them. */
  readonly type: OperationType | BankNotificationType | null;
  /** The one that it is about; null: all that are due. */
  readonly subjectId: string | null;
  /** What was there before now, before today (Europe/Rome), or so many days ago. */
  readonly upTo: "now" | "today" | { readonly daysAgo: number };
  /** By a timer: where one is under way there is no other. */
  readonly isScheduled: boolean;
  /** Nothing of it is for this flow to do. */
  readonly isIgnored: boolean;
  /** Of a store's collection: how much at most, and of which group; by default all that is owed. */
  readonly amountCents?: bigint | null;
  readonly reconciliationId?: string | null;
}

const insertRun = `
  with made as (
    insert into borsello.flow_run
      (partner_key, flow, actor, type, subject_id, up_to, is_scheduled, status, ended_at,
       amount_cents, reconciliation_id)
    select $1, $2, $3, $4, $5::uuid, case $6::text when 'today'
        then date_trunc('day', borsello.platform_now(), 'Europe/Rome')
        else borsello.platform_now() + interval '1 millisecond'
          - make_interval(days => $11::integer) end,
      $7, case when $8 then 'Ignored' else 'Queued' end,
      case when $8 then borsello.platform_now() end, $9::bigint, $10::uuid
    on conflict do nothing
    returning *
  ), told as (
    select count(borsello.tell_flows('FlowRunRequested', run_id::text,
      json_build_object('runId', run_id, 'partnerKey', partner_key))) as messages
    from made where status = 'Queued'
  )
  select run_id as "runId", flow, status, borsello.iso(requested_at) as "requestedAt"
  from made, told`;

/** Further back there is nothing, and no date that the database knows. */
const daysAgoMax = 1_000_000;

/** Undefined: the timer's run is under way already. */
export const requestRun = (
  database: Database,
  run: RunRequest,
): Promise<RequestedRun | undefined> =>
  database.command(RequestedRun, insertRun, [
    run.partnerKey,
    run.flow,
    run.actor,
    run.type,
    run.subjectId,
    run.upTo === "today" ? "today" : "now",
    run.isScheduled,
    run.isIgnored,
    run.amountCents ?? null,
    run.reconciliationId ?? null,
    typeof run.upTo === "string" ? 0 : Math.min(run.upTo.daysAgo, daysAgoMax),
  ]);

export const findRun = (
  database: Queryable,
  partnerKey: string,
  runId: string,
): Promise<FlowRun | undefined> =>
  database.row(
    FlowRun,
    `select run_id as "runId", flow, status, borsello.iso(started_at) as "startedAt",
       borsello.iso(ended_at) as "endedAt", items, failures
     from borsello.flow_run where run_id = $1 and partner_key = $2`,
    [runId, partnerKey],
  );

const begin = `
  update borsello.flow_run set status = 'Running',
    started_at = coalesce(started_at, borsello.platform_now())
  where run_id = $1 and status in ('Queued', 'Running')
  returning run_id as "runId", partner_key as "partnerKey", flow, actor, type, subject_id as "subjectId",
    up_to as "upTo", amount_cents as "amountCents", reconciliation_id as "reconciliationId"`;

/** How much one transaction takes: operations, and harvestings that the bank is asked for. */
const claimedPerPage = 1_000;
const closedPerPage = 200;
const compensatedPerPage = 100;
/**
 * A single operation's settlement is a flow of its own, several messages and some sixty transactions: a
 * morning's transfers settled all at once would hold up those that arrive. 25 a second are two million a day.
 */
const advancedPerPage = 25;
const advancedPauseMs = 1_000;

/** Closed or begun anew, whatever it waits for. */
const harvestSubject = async (
  tx: Queryable,
  { actor }: BegunRun,
  harvestingId: string,
): Promise<RunPage> => {
  const items = await taken(
    tx,
    `select case when status = 'Confirmed'
       then borsello.close_harvestings(partner_key, type, 200)
       else borsello.restart_settlement(operation_id, $2)::integer end as taken
     from borsello.operation where operation_id = $1`,
    [harvestingId, actor],
  );
  return { items, isLast: true };
};

/** Started or begun anew, whatever it waits for. */
const accountSubject = async (
  tx: Queryable,
  { actor }: BegunRun,
  operationId: string,
  terms: SettlementTerms,
): Promise<RunPage> => {
  const items = await taken(
    tx,
    `select case when status = 'Confirmed' and type <> all($4::text[])
       then (borsello.advance_settlement(operation_id, $3) is not null)::integer
       else borsello.restart_settlement(operation_id, $2)::integer end as taken
     from borsello.operation where operation_id = $1 and wallet_id is not null`,
    [operationId, actor, JSON.stringify(terms), terms.harvestedTypes],
  );
  return { items, isLast: true };
};

/** Claims members until there are none, then closes what took them. */
const harvestPage = async (
  tx: Queryable,
  { partnerKey, type, upTo }: BegunRun,
): Promise<RunPage> => {
  const claimed = await taken(
    tx,
    "select borsello.claim_for_harvestings($1, $2, $3, $4) as taken",
    [partnerKey, type, upTo, claimedPerPage],
  );
  if (claimed > 0) return { items: claimed, isLast: false };
  const closed = await taken(tx, "select borsello.close_harvestings($1, $2, $3) as taken", [
    partnerKey,
    type,
    closedPerPage,
  ]);
  return { items: 0, isLast: closed < closedPerPage };
};

/** Wallets are locked in one order, whoever locks several. */
const accountingPage = async (
  tx: Queryable,
  { partnerKey, upTo }: BegunRun,
  terms: SettlementTerms,
): Promise<RunPage> => {
  const items = await taken(
    tx,
    `with page as (
       select operation_id, wallet_id from borsello.operation
       where partner_key = $1 and type = any($2::text[]) and status = 'Confirmed'
         and wallet_id is not null and harvesting_id is null and confirmation_date < $3
       order by last_update_date limit $4
     )
     select count(borsello.advance_settlement(operation_id, $5))::integer as taken
     from (select operation_id from page order by wallet_id) as in_order`,
    [partnerKey, singleTypes(terms), upTo, advancedPerPage, JSON.stringify(terms)],
  );
  return { items, isLast: items < advancedPerPage, pauseMs: advancedPauseMs };
};

const compensationPage = async (tx: Queryable, run: BegunRun): Promise<RunPage> => {
  const items = await compensateStores(tx, run, compensatedPerPage);
  return { items, isLast: items === 0 };
};

const cleanupPage = async (tx: Queryable, { partnerKey, upTo }: BegunRun): Promise<RunPage> => {
  const items = await forgetThreeDs(tx, partnerKey, upTo, claimedPerPage);
  return { items, isLast: items < claimedPerPage };
};

export const singleTypes = ({ harvestedTypes }: Pick<SettlementTerms, "harvestedTypes">) =>
  operationTypes.filter((type) => !harvestedTypes.includes(type));

const note = `
  update borsello.flow_run set items = items + $2,
    status = case when not $3 then status when $2 = 0 and subject_id is not null then 'Ignored'
      else 'Completed' end,
    ended_at = case when $3 then borsello.platform_now() end
  where run_id = $1`;

/** A line for each flow that can be asked for. */
const work: Readonly<Record<WorkedFlow, RunWork>> = {
  Harvestings: { subject: harvestSubject, page: harvestPage },
  AccountingOperations: { subject: accountSubject, page: accountingPage },
  SddStoresCompensation: { subject: compensationPage, page: compensationPage },
  StoreMandates: { subject: takeStoreMandate, page: takeDueStoreMandates },
  MandateDepositRequest: { subject: takeDepositOf, page: (tx, run) => takeDeposits(tx, run) },
  BankNotifications: { subject: takeBankNotification, page: takeDueBankNotifications },
  ThreeDsCleanup: { subject: cleanupPage, page: cleanupPage },
};

const over: RunPage = { items: 0, isLast: true };

/** Works off one page in a transaction of its own. */
export const workRun = (
  database: Database,
  runId: string,
  terms: SettlementTerms,
): Promise<RunPage> =>
  database.transaction(async (tx) => {
    const run = await tx.row(Begun, begin, [runId]);
    if (run === undefined) return over;
    const { subject, page } = work[run.flow];
    const done =
      run.subjectId === null
        ? await page(tx, run, terms)
        : await subject(tx, run, run.subjectId, terms);
    await tx.execute(note, [runId, done.items, done.isLast]);
    return done;
  });

const OpenRun = z.object({ runId: z.string(), partnerKey: z.string(), place: z.string() });
export type StaleRun = z.output<typeof OpenRun>;

/** Runs that began minutes ago and are not over, in order of their time; whoever sweeps starts their flows anew. */
export const staleRuns = (
  database: Queryable,
  after: string | null,
  limit: number,
): Promise<StaleRun[]> =>
  database.rows(
    OpenRun,
    `select run_id as "runId", partner_key as "partnerKey",
       json_build_array(requested_at, run_id)::text as place
     from borsello.flow_run
     where status in ('Queued', 'Running') and flow not in ('Clearing', 'ClearingExport')
       and requested_at < borsello.platform_now() - interval '2 minutes'
       and ($1::json is null or (requested_at, run_id)
         > (($1::json ->> 0)::timestamptz, ($1::json ->> 1)::uuid))
     order by requested_at, run_id limit $2`,
    [after, limit],
  );

/** A run can be read for so many days; the number of those removed, at most `runsMax`. */
export const forgetRuns = (database: Queryable, days: number, runsMax: number): Promise<number> =>
  database.execute(
    `delete from borsello.flow_run where run_id in (
       select run_id from borsello.flow_run
       where ended_at < borsello.platform_now() - make_interval(days => $1) limit $2)`,
    [days, runsMax],
  );

const Due = z.object({ type: z.enum(operationTypes) });

/** The types of which a partner has operations that wait for settlement. */
export const typesToSettle = async (
  database: Queryable,
  partnerKey: string,
  types: readonly OperationType[],
): Promise<readonly OperationType[]> =>
  (
    await database.rows(
      Due,
      `select type from unnest($2::text[]) as type where exists (
         select from borsello.operation as o
         where o.partner_key = $1 and o.type = type.type and status = 'Confirmed'
           and (wallet_id is null or harvesting_id is null))`,
      [partnerKey, types],
    )
  ).map(({ type }) => type);
