/** What flows look up when they wake, and which flows ought to be running. */
import { z } from "zod";
import { mandateStatuses } from "../../contracts/mandates/mandates.js";
import { latestMandateRequest } from "../bank/requests.js";
import type { Queryable } from "../platform/database.js";

const IbanState = z.object({
  status: z.enum(["Waiting", "Validated", "Expired", "Replaced"]),
  code: z.string(),
  expiresAt: z.string(),
  feedback: z.string().nullable(),
  untried: z.array(z.string()),
});
export type IbanState = z.output<typeof IbanState>;

/** The validation, with the transfers that name its code and that nobody has tried yet. */
export const ibanState = (
  database: Queryable,
  { walletId, attempt }: { readonly walletId: string; readonly attempt: number },
): Promise<IbanState | undefined> =>
  database.row(
    IbanState,
    `select status, code, borsello.iso(expires_at) as "expiresAt", feedback,
       array(select bank_notification_id::text from borsello.bank_notification as n
         where n.wallet_id = v.wallet_id and n.status = 'Received' and n.attempts = 0
           and position(v.code in upper(regexp_replace(n.reason, '\\s', '', 'g'))) > 0
         order by bank_notification_id) as untried
     from borsello.iban_validation as v where wallet_id = $1 and attempt = $2`,
    [walletId, attempt],
  );

const MandateRow = z.object({
  status: z.enum(mandateStatuses),
  isSignatureRequested: z.boolean(),
});

export interface MandateState {
  /** As in the mandate's row; `Signed` is Filled with a signature under way. */
  readonly status: (typeof mandateStatuses)[number] | "Signed" | "Unknown";
  readonly requestedAt: string | null;
  readonly outcome: "Accepted" | "Refused" | null;
}

const requestKinds = {
  ActivationRequested: "mandateActivation",
  DisableRequested: "mandateRevocation",
} as const;

const outcomes = { Accepted: "Accepted", Booked: "Accepted", Refused: "Refused" } as const;

export const mandateState = async (
  database: Queryable,
  mandateId: string,
): Promise<MandateState> => {
  const mandate = await database.row(
    MandateRow,
    `select status, sign_requested_at is not null as "isSignatureRequested"
     from borsello.mandate where mandate_id = $1`,
    [mandateId],
  );
  const nothing = { requestedAt: null, outcome: null };
  if (mandate === undefined) return { status: "Unknown", ...nothing };
  const { status, isSignatureRequested } = mandate;
  if (status === "Filled" && isSignatureRequested) return { status: "Signed", ...nothing };
  if (status !== "ActivationRequested" && status !== "DisableRequested")
    return { status, ...nothing };
  const request = await latestMandateRequest(database, mandateId, requestKinds[status]);
  if (request === undefined) return { status, ...nothing };
  const { status: answer, requestedAt } = request;
  const isOpen = answer === "Requested" || answer === "Returned";
  return { status, requestedAt, outcome: isOpen ? null : outcomes[answer] };
};

const Due = z.object({
  flow: z.enum(["walletOnboarding", "ibanValidation", "contractSigning", "mandateActivation"]),
  /** The wallet, or the store of a mandate. */
  subjectId: z.string(),
  /** Of an IBAN or a contract. */
  attempt: z.int().nullable(),
  mandateId: z.string().nullable(),
});
export type DueFlow = z.output<typeof Due>;

/** Young rows are left to the broker's messages, which are on their way. */
const graceMinutes = 2;

const isOld = (column: string): string =>
  `${column} < borsello.platform_now() - interval '${graceMinutes} minutes'`;

interface DueKind {
  readonly flow: DueFlow["flow"];
  /** One row of a subject at most; an index holds these rows, and no others, in the subjects' order. */
  readonly from: string;
  readonly subject: string;
  readonly attempt?: string;
  readonly mandateId?: string;
}

const dueKinds: readonly DueKind[] = [
  {
    flow: "ibanValidation",
    from: `borsello.iban_validation where status = 'Waiting' and ${isOld("requested_at")}`,
    subject: "wallet_id",
    attempt: "attempt",
  },
  {
    flow: "contractSigning",
    from: `borsello.contract where status = 'Signing' and ${isOld("requested_at")}`,
    subject: "wallet_id",
    attempt: "attempt",
  },
  {
    flow: "mandateActivation",
    from: `borsello.mandate
      where (status in ('ActivationRequested', 'Active', 'DisableRequested')
        or status = 'Filled' and ${isOld("sign_requested_at")})`,
    subject: "coalesce(wallet_id, store_id)",
    mandateId: "mandate_id",
  },
  {
    flow: "walletOnboarding",
    from: `borsello.onboarding join borsello.wallet using (wallet_id)
      where onboarding.status = 'Running' and wallet.status <> 'Closed'
        and ${isOld("creation_date")}`,
    subject: "wallet_id",
  },
];

/** The first subjects of one kind are enough: the first of all are among them. */
const firstOf = ({
  flow,
  from,
  subject,
  attempt = "null",
  mandateId = "null",
}: DueKind): string => `(
  select '${flow}' as flow, ${subject} as subject_id, ${attempt}::integer as attempt,
    ${mandateId}::uuid as mandate_id
  from ${from} and ${subject} > $1 order by ${subject} limit $2)`;

const selectDue = `
  with due as (${dueKinds.map(firstOf).join(" union all ")}), page as (
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
