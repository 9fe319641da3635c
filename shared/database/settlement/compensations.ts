/** Direct debits and payments that settle reconciliation groups: asked for, waited for, asked again. */
import { z } from "zod";
import { addBankDays, romeDate } from "../../domain/bank/bank-days.js";
import type { Database, Queryable } from "../platform/database.js";
import { platformNow } from "../platform/platform-time.js";

const Asked = z.object({ asked: z.int() });

/** The day on which a direct debit that is asked for now is to settle: the next bank day. */
const nextBankDay = async (tx: Queryable): Promise<string> =>
  addBankDays(romeDate(new Date(await platformNow(tx))), 1);

export interface CompensationPage {
  readonly runId: string;
  readonly partnerKey: string;
  readonly actor: string;
  readonly upTo: Date;
}

/** A page of the groups that a run finds, each once in a run; resolves to how many were asked for. */
export const compensateStores = async (
  tx: Queryable,
  { runId, partnerKey, actor, upTo }: CompensationPage,
  groupsMax: number,
): Promise<number> =>
  (
    await tx.row(
      Asked,
      `select borsello.compensate_stores($1, $2, started_at, $3::date, $4, $5) as asked
       from borsello.flow_run where run_id = $6`,
      [partnerKey, upTo, await nextBankDay(tx), groupsMax, actor, runId],
    )
  )?.asked ?? 0;

export interface StoreCollection {
  readonly mandateId: string;
  /** Null: all that the store owes. */
  readonly cents: bigint | null;
  /** Null: every group that waits, the oldest first. */
  readonly reconciliationId: string | null;
  readonly actor: string;
}

/** Collects by a store's mandate at once, never more than is owed; resolves to how many were asked for. */
export const requestStoreCollection = async (
  tx: Queryable,
  { mandateId, cents, reconciliationId, actor }: StoreCollection,
): Promise<number> =>
  (
    await tx.row(
      Asked,
      "select borsello.request_store_collection($1, $2, $3, $4::date, $5) as asked",
      [mandateId, cents, reconciliationId, await nextBankDay(tx), actor],
    )
  )?.asked ?? 0;

const Collectable = z.object({ cents: z.bigint().nullable() });

/**
 * What may be collected by a store's mandate at present, of one group or (null) of all that wait. Undefined:
 * the mandate is no store's, or the group is not that store's.
 */
export const collectableCents = async (
  database: Queryable,
  mandateId: string,
  reconciliationId: string | null,
): Promise<bigint | undefined> =>
  (
    await database.row(Collectable, "select borsello.collectable_cents($1, $2) as cents", [
      mandateId,
      reconciliationId,
    ])
  )?.cents ?? undefined;

const State = z.object({
  status: z.enum(["Pending", "Collecting", "Reconciled", "Unknown"]),
  silenceSeconds: z.int(),
});
export type CompensationState = z.infer<typeof State>;

/** What has been asked about many times is asked about less often, up to so many times the first wait. */
const patienceMax = 24;

const openRequests = `
  select * from borsello.bank_request
  where reconciliation_id = $1 and status in ('Requested', 'Accepted')`;

/** How a group is, and how long its bank may be silent; `silenceSeconds` is the first such wait. */
export const compensationState = async (
  database: Queryable,
  reconciliationId: string,
  silenceSeconds: number,
): Promise<CompensationState> =>
  (await database.row(
    State,
    `select status, $2::integer * least(coalesce(
       (select max(inquiries) + 1 from (${openRequests}) as open), 1), $3::integer) as "silenceSeconds"
     from borsello.reconciliation_group where reconciliation_id = $1`,
    [reconciliationId, silenceSeconds, patienceMax],
  )) ?? { status: "Unknown", silenceSeconds };

/** Asks the bank for the same again, under the same ids. */
export const inquireCompensations = (
  database: Database,
  reconciliationId: string,
): Promise<unknown> =>
  database.command(
    z.object({ inquired: z.int() }),
    `select count(borsello.inquire(request_id))::integer as inquired from (${openRequests}) as open`,
    [reconciliationId],
  );

const OpenCompensation = z.object({ reconciliationId: z.string(), partnerKey: z.string() });
export type OpenCompensation = z.output<typeof OpenCompensation>;

/** Groups that wait for the bank, by id from `after` on. */
export const openCompensations = (
  database: Queryable,
  after: string | null,
  limit: number,
): Promise<OpenCompensation[]> =>
  database.rows(
    OpenCompensation,
    `select reconciliation_id as "reconciliationId", partner_key as "partnerKey"
     from borsello.reconciliation_group
     where status = 'Collecting' and ($1::uuid is null or reconciliation_id > $1)
     order by reconciliation_id limit $2`,
    [after, limit],
  );

const Due = z.object({ partnerKey: z.string() });

/** The partners with groups that wait. */
export const partnersToCompensate = (database: Queryable): Promise<z.infer<typeof Due>[]> =>
  database.rows(
    Due,
    `select partner_key as "partnerKey" from borsello.partner where exists (
       select from borsello.reconciliation_group as g
       where g.partner_key = partner.partner_key and g.status = 'Pending')`,
  );
