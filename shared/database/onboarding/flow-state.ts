/** What flows look up when they wake, and which flows ought to be running. */
import { z } from "zod";
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
        or status = 'Filled' and case when store_id is null then sign_requested_at
          else activation_request_date end < borsello.platform_now() - interval '2 minutes')
    order by coalesce(wallet_id, store_id) limit $2)
    union all
    -- Of mandates that are over, too: the bank may have accepted one that had lapsed.
    (select distinct 'mandateActivation', subject_id, null::integer, mandate_id
    from borsello.mandate_revocation
    where ended_at is null and subject_id > $1
    order by subject_id limit $2)
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
