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

/** Null: there is no such request. Without an instance, the outcome is late. */
const RecordedOutcome = z.object({
  recorded: z
    .object({ instanceId: z.string().nullable(), event: z.string().nullable() })
    .nullable(),
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

/** One round trip: state, audit row, whom to tell, and whatever this word of the bank moves or ends. */
export const recordOutcome = async (
  database: Database,
  outcome: BankOutcomeMessage,
): Promise<OutcomeRecord> => {
  const { to, from } = nextStatus[outcome.outcome];
  const found = await database.command(
    RecordedOutcome,
    "select borsello.record_outcome($1, $2, $3, $4, $5, $6) as recorded",
    [
      outcome.requestId,
      to,
      from,
      outcome.reasonCode,
      outcome.transactionReference,
      outcome.bookingDate,
    ],
  );
  const recorded = found?.recorded ?? null;
  if (recorded === null) return { result: "unknownRequest" };
  const { instanceId, event } = recorded;
  return instanceId === null || event === null
    ? { result: "late" }
    : { result: "recorded", instanceId, event };
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
