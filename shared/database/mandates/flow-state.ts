/** What a mandate's flow looks up when it wakes: what it has to do, or how long it may wait. */
import { z } from "zod";
import { mandateStatuses } from "../../contracts/mandates/mandates.js";
import { bankDaysLater } from "../../domain/bank/bank-days.js";
import type { Queryable } from "../platform/database.js";

/** So long the bank may keep silent, and after a refusal of a revocation it has this time. */
const bankDaysToAnswer = 10;
const bankDaysAfterRefusal = 1;

const Revocation = z.object({
  reference: z.string(),
  askedAt: z.string(),
  /** Null: the bank has not refused the last request. */
  refusedAt: z.string().nullable(),
  /** The bank's answers end it. */
  isDecided: z.boolean(),
});
type Revocation = z.infer<typeof Revocation>;

const MandateRow = z.object({
  status: z.enum(mandateStatuses),
  isSignatureRequested: z.boolean(),
  requestedAt: z.string().nullable(),
  answer: z.enum(["Requested", "Accepted", "Booked", "Refused", "Returned"]).nullable(),
  /** Of a store's mandate that the bank was asked for: when there is something to do. */
  askingDue: z.string().nullable(),
  revocations: z.array(Revocation),
  now: z.string(),
});

const selectMandate = `
  select m.status, m.sign_requested_at is not null as "isSignatureRequested",
    borsello.iso(activation.requested_at) as "requestedAt", activation.status as answer,
    borsello.iso(borsello.store_mandate_due(m)) as "askingDue",
    (select coalesce(json_agg(json_build_object('reference', v.mandate_unique_reference,
        'askedAt', borsello.iso(v.asked_at), 'refusedAt',
        case when asked.status = 'Refused' then borsello.iso(asked.last_outcome_at) end,
        'isDecided', borsello.revocation_end(v) is not null)), '[]')
     from borsello.mandate_revocation as v
       join borsello.bank_request as asked using (request_id)
     where v.mandate_id = m.mandate_id and v.ended_at is null) as revocations,
    borsello.iso(borsello.platform_now()) as now
  from borsello.mandate as m
  left join borsello.activation_of(m.mandate_id, m.mandate_unique_reference) as activation
    on m.status = 'ActivationRequested'
  where m.mandate_id = $1`;

/** When the bank is asked again. */
const dueAt = ({ askedAt, refusedAt, isDecided }: Revocation): Date => {
  if (isDecided) return new Date(0);
  return refusedAt === null
    ? bankDaysLater(new Date(askedAt), bankDaysToAnswer)
    : bankDaysLater(new Date(refusedAt), bankDaysAfterRefusal);
};

export interface MandateState {
  /**
   * As in the mandate's row, but for what comes first: `Signed` is Filled with a signature under way,
   * `Asked` is a store's that is Filled and that the bank was asked for, `Revoking` a revocation that is due now, or that is open where nothing else is.
   */
  readonly status: (typeof mandateStatuses)[number] | "Signed" | "Asked" | "Revoking" | "Unknown";
  /** When the bank was asked last, for the activation or the revocation. */
  readonly requestedAt: string | null;
  /** Accepted, for a revocation, is whatever ends it. */
  readonly outcome: "Accepted" | "Refused" | null;
  /** When a revocation is due, or the bank is asked again for a store's mandate; null: never. */
  readonly dueAt: string | null;
  /** Which reference is to be revoked. */
  readonly reference?: string;
}

const activationOutcomes = {
  Accepted: "Accepted",
  Booked: "Accepted",
  Refused: "Refused",
  Requested: null,
  Returned: null,
} as const;

const isBusy = (status: string): boolean =>
  status === "Signed" || status === "ActivationRequested" || status === "Active";

export const mandateState = async (
  database: Queryable,
  mandateId: string,
): Promise<MandateState> => {
  const mandate = await database.row(MandateRow, selectMandate, [mandateId]);
  const nothing = { requestedAt: null, outcome: null, dueAt: null };
  if (mandate === undefined) return { status: "Unknown", ...nothing };
  const { isSignatureRequested, requestedAt, answer, revocations, now } = mandate;
  if (mandate.askingDue !== null) return { ...nothing, status: "Asked", dueAt: mandate.askingDue };
  const isSigned = mandate.status === "Filled" && isSignatureRequested;
  const status = isSigned ? "Signed" : mandate.status;
  const [first] = revocations
    .map((revocation) => ({ revocation, due: dueAt(revocation) }))
    .sort((left, right) => left.due.getTime() - right.due.getTime());
  if (first !== undefined && (!isBusy(status) || first.due <= new Date(now))) {
    const { reference, askedAt, isDecided } = first.revocation;
    return {
      status: status === "DisableRequested" ? status : "Revoking",
      requestedAt: askedAt,
      outcome: isDecided ? "Accepted" : null,
      dueAt: first.due.toISOString(),
      reference,
    };
  }
  return {
    status,
    requestedAt,
    outcome: answer === null ? null : activationOutcomes[answer],
    // A mandate that waits to be disabled without a revocation is asked for at once.
    dueAt: status === "DisableRequested" ? now : (first?.due.toISOString() ?? null),
  };
};
