/** Requests to the bank: written with their cause, answered by outcomes, each once. */
import { z } from "zod";
import type {
  BankOutcomeMessage,
  BankRequestKind,
} from "../../contracts/platform/bank-messages.js";
import type { Database, Queryable } from "../platform/database.js";

export interface BankRequest {
  readonly requestId: string;
  readonly kind: BankRequestKind;
  readonly partnerKey: string;
  readonly walletId: string | null;
  readonly mandateId: string | null;
  /** The kind's own fields; `amount` is the one that every kind with money has. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The flow that waits for the outcome. */
  readonly notify: { readonly instanceId: string; readonly event: string };
}

/** False: this request was written before. Statements in SQL call the same function directly. */
export const requestBank = async (tx: Queryable, request: BankRequest): Promise<boolean> => {
  const written = await tx.row(
    z.object({ made: z.boolean() }),
    "select borsello.request_bank($1, $2, $3, $4, $5, $6, $7, $8) as made",
    [
      request.requestId,
      request.kind,
      request.partnerKey,
      request.walletId,
      request.mandateId,
      JSON.stringify(request.payload),
      request.notify.instanceId,
      request.notify.event,
    ],
  );
  return written?.made ?? false;
};

const RecordedOutcome = z.object({
  instanceId: z.string().nullable(),
  event: z.string().nullable(),
});

export type OutcomeRecord =
  /** Tell the flow. Repeats are told again: the first telling may have been lost in a crash. */
  | { readonly result: "recorded"; readonly instanceId: string; readonly event: string }
  /** The request has come further than this outcome, which arrives late. */
  | { readonly result: "late" }
  | { readonly result: "unknownRequest" };

const nextStatus = {
  accepted: { to: "Accepted", from: ["Requested", "Accepted"] },
  booked: { to: "Booked", from: ["Requested", "Accepted", "Booked"] },
  refused: { to: "Refused", from: ["Requested", "Accepted", "Refused"] },
  // Outcomes overtake each other on the queue: what comes back was accepted and booked before.
  returned: { to: "Returned", from: ["Requested", "Accepted", "Booked", "Returned"] },
} as const satisfies Record<BankOutcomeMessage["outcome"], { to: string; from: readonly string[] }>;

/**
 * One statement: state, audit row, whom to tell, and what an acceptance that comes too late asks for. An
 * activation that the bank has accepted counts as accepted, whatever else it says of it, in either order.
 */
export const recordOutcome = async (
  database: Database,
  outcome: BankOutcomeMessage,
): Promise<OutcomeRecord> => {
  const { to, from } = nextStatus[outcome.outcome];
  const found = await database.command(
    RecordedOutcome,
    `with before as (
       select request_id, status, partner_key, case
           when kind = 'mandateActivation' and status = 'Accepted' and $2 = 'Refused' then false
           when kind = 'mandateActivation' and status = 'Refused' and $2 = 'Accepted' then true
           else status = any($3::text[]) end as is_next
       from borsello.bank_request where request_id = $1 for update
     ), changed as (
       update borsello.bank_request set status = $2, reason_code = $4,
         transaction_reference = coalesce($5, transaction_reference),
         booking_date = coalesce($6::date, booking_date),
         last_outcome_at = case when before.status = $2 then last_outcome_at
           else borsello.platform_now() end
       from before
       where bank_request.request_id = before.request_id and before.is_next
       returning bank_request as request, before.status as from_status, before.partner_key
     ), audited as (
       insert into borsello.audit
         (actor, partner_key, entity, entity_id, action, from_status, to_status)
       select 'bank', partner_key, 'BankRequest', $1::uuid::text, 'outcome', from_status, $2
       from changed where from_status <> $2
     )
     select (request).notify_instance_id as "instanceId", (request).notify_event as event,
       case when from_status <> $2 then borsello.note_mandate_outcome(request) end
     from before left join changed on true`,
    [
      outcome.requestId,
      to,
      from,
      outcome.reasonCode,
      outcome.transactionReference,
      outcome.bookingDate,
    ],
  );
  if (found === undefined) return { result: "unknownRequest" };
  const { instanceId, event } = found;
  if (instanceId === null || event === null) return { result: "late" };
  return { result: "recorded", instanceId, event };
};

const LatestRequest = z.object({
  status: z.enum(["Requested", "Accepted", "Booked", "Refused", "Returned"]),
  requestedAt: z.string(),
  reasonCode: z.string().nullable(),
});
export type LatestRequest = z.infer<typeof LatestRequest>;

/** The last request of this kind for a mandate, and what became of it. */
export const latestMandateRequest = (
  database: Queryable,
  mandateId: string,
  kind: BankRequestKind,
): Promise<LatestRequest | undefined> =>
  database.row(
    LatestRequest,
    `select status, borsello.iso(requested_at) as "requestedAt", reason_code as "reasonCode"
     from borsello.bank_request where mandate_id = $1 and kind = $2
     order by requested_at desc, request_id desc limit 1`,
    [mandateId, kind],
  );
