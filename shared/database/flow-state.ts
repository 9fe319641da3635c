/** What flows look up when they wake, and which flows ought to be running. */
import { z } from "zod";
import { mandateStatuses } from "../contracts/wallet/mandates.js";
import { latestMandateRequest } from "./bank-requests.js";
import type { Queryable } from "./database.js";

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
  ownerId: z.string(),
  /** Of an IBAN or a contract. */
  attempt: z.int().nullable(),
  mandateId: z.string().nullable(),
});
export type DueFlow = z.output<typeof Due>;

/** Young rows are left to the broker's messages, which are on their way. */
const graceMinutes = 2;

/** Flows that the tables say should be running, in pages: `after` is the last page's last owner. */
export const dueFlows = (
  database: Queryable,
  after: string | null,
  ownersMax: number,
): Promise<DueFlow[]> =>
  database.rows(
    Due,
    `with due as (
       select 'ibanValidation' as flow, wallet_id as owner_id, attempt, null::uuid as mandate_id
       from borsello.iban_validation
       where status = 'Waiting' and requested_at < borsello.platform_now() - $3::interval
       union all
       select 'contractSigning', wallet_id, attempt, null from borsello.contract
       where status = 'Signing' and requested_at < borsello.platform_now() - $3::interval
       union all
       select 'mandateActivation', coalesce(wallet_id, store_id), null, mandate_id
       from borsello.mandate
       where status in ('ActivationRequested', 'Active', 'DisableRequested')
         or status = 'Filled' and sign_requested_at < borsello.platform_now() - $3::interval
       union all
       select 'walletOnboarding', wallet_id, null, null
       from borsello.wallet left join borsello.onboarding using (wallet_id)
       where coalesce(onboarding.status, 'Running') = 'Running' and wallet.status <> 'Closed'
         and creation_date < borsello.platform_now() - $3::interval
     ), page as (
       select distinct owner_id from due where $1::uuid is null or owner_id > $1::uuid
       order by owner_id limit $2
     )
     select flow, owner_id as "ownerId", attempt, mandate_id as "mandateId"
     from due join page using (owner_id) order by owner_id`,
    [after, ownersMax, `${graceMinutes} minutes`],
  );
