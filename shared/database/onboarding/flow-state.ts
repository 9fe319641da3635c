/** What flows look up when they wake, and which flows ought to be running. */
import { z } from "zod";
import { mandateStatuses } from "../../contracts/mandates/mandates.js";
import type { Queryable } from "../platform/database.js";

const IbanState = z.object({
  status: z.enum(["Waiting", "Validated", "Expired", "Replaced", "Closed"]),
  code: z.string(),
  expiresAt: z.string(),
  feedback: z.string().nullable(),
  untried: z.array(z.string()),
});
export type IbanState = z.output<typeof IbanState>;

/** The validation, with the transfers received for it that are to be tried, first or again; at most a hundred. */
export const ibanState = (
  database: Queryable,
  { walletId, attempt }: { readonly walletId: string; readonly attempt: number },
): Promise<IbanState | undefined> =>
  database.row(
    IbanState,
    `select status, code, borsello.iso(expires_at) as "expiresAt", feedback,
       array(select bank_notification_id::text from borsello.bank_notification as n
         where n.wallet_id = v.wallet_id and n.iban_attempt = v.attempt
           and n.status = 'Received' and n.is_due
         order by bank_notification_id limit 100) as untried
     from borsello.iban_validation as v where wallet_id = $1 and attempt = $2`,
    [walletId, attempt],
  );

const Attempt = z.object({ attempt: z.int() });

/** Which attempt at the wallet's onboarding is the present one; undefined: there is no such wallet. */
export const onboardingAttempt = async (
  database: Queryable,
  walletId: string,
): Promise<number | undefined> => {
  const select = "select attempt from borsello.onboarding where wallet_id = $1";
  return (await database.row(Attempt, select, [walletId]))?.attempt;
};

const MandateRow = z.object({
  status: z.enum(mandateStatuses),
  isSignatureRequested: z.boolean(),
  requestedAt: z.string().nullable(),
  answer: z.enum(["Requested", "Accepted", "Booked", "Refused", "Returned"]).nullable(),
});

export interface MandateState {
  /** As in the mandate's row; `Signed` is Filled with a signature under way. */
  readonly status: (typeof mandateStatuses)[number] | "Signed" | "Unknown";
  readonly requestedAt: string | null;
  readonly outcome: "Accepted" | "Refused" | null;
}

/** With the last request of the kind that its status waits for, and what the bank answered. */
const selectMandate = `
  select m.status, m.sign_requested_at is not null as "isSignatureRequested",
    borsello.iso(request.requested_at) as "requestedAt", request.status as answer
  from borsello.mandate as m
  left join lateral (
    select status, requested_at from borsello.bank_request as r
    where r.mandate_id = m.mandate_id and r.kind = case m.status
      when 'ActivationRequested' then 'mandateActivation'
      when 'DisableRequested' then 'mandateRevocation' end
    order by requested_at desc, request_id desc limit 1
  ) as request on true
  where m.mandate_id = $1`;

const outcomes = { Accepted: "Accepted", Booked: "Accepted", Refused: "Refused" } as const;

export const mandateState = async (
  database: Queryable,
  mandateId: string,
): Promise<MandateState> => {
  const mandate = await database.row(MandateRow, selectMandate, [mandateId]);
  const nothing = { requestedAt: null, outcome: null };
  if (mandate === undefined) return { status: "Unknown", ...nothing };
  const { status, isSignatureRequested, requestedAt, answer } = mandate;
  if (status === "Filled" && isSignatureRequested) return { status: "Signed", ...nothing };
  if (answer === null) return { status, ...nothing };
  const isOpen = answer === "Requested" || answer === "Returned";
  return { status, requestedAt, outcome: isOpen ? null : outcomes[answer] };
};

const Due = z.object({
  flow: z.enum(["walletOnboarding", "ibanValidation", "contractSigning", "mandateActivation"]),
  /** The wallet, or the store of a mandate. */
  subjectId: z.string(),
  /** Of an IBAN, a contract or an onboarding. */
  attempt: z.int().nullable(),
  mandateId: z.string().nullable(),
});
export type DueFlow = z.output<typeof Due>;

/**
 * Rows younger than two minutes are left to the broker's messages, which are on their way. Of each kind
 * the first subjects are enough: the first of all are among them. An index holds the rows of each kind,
 * and no others, in the order of the subjects, of which none has two.
 */
const selectDue = `
  with due as (
    (select 'ibanValidation' as flow, wallet_id as subject_id, attempt, null::uuid as mandate_id
    from borsello.iban_validation
    where status = 'Waiting' and wallet_id > $1
      and requested_at < borsello.platform_now() - interval '2 minutes'
    order by wallet_id limit $2)
    union all
    (select 'contractSigning', wallet_id, attempt, null
    from borsello.contract
    where status = 'Signing' and wallet_id > $1
      and requested_at < borsello.platform_now() - interval '2 minutes'
    order by wallet_id limit $2)
    union all
    (select 'mandateActivation', coalesce(wallet_id, store_id), null, mandate_id
    from borsello.mandate
    where coalesce(wallet_id, store_id) > $1
      and (status in ('ActivationRequested', 'Active', 'DisableRequested')
        or status = 'Filled' and sign_requested_at < borsello.platform_now() - interval '2 minutes')
    order by coalesce(wallet_id, store_id) limit $2)
    union all
    (select 'walletOnboarding', wallet_id, attempt, null
    from borsello.onboarding
    where status = 'Running' and wallet_id > $1
      and started_at < borsello.platform_now() - interval '2 minutes'
    order by wallet_id limit $2)
  ), page as (
    select distinct subject_id from due order by subject_id limit $2
  )
  select flow, subject_id as "subjectId", attempt, mandate_id as "mandateId"
  from due join page using (subject_id) order by subject_id`;

/** Before every subject. */
const nobody = "00000000-0000-0000-0000-000000000000";

/** Flows that the tables say should be running, in pages: `after` is the last page's last subject. */
export const dueFlows = (
  database: Queryable,
  after: string | null,
  subjectsMax: number,
): Promise<DueFlow[]> => database.rows(Due, selectDue, [after ?? nobody, subjectsMax]);
