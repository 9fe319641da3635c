/** The onboarding of a wallet: its view, its review, its reminders and its end. */
import { z } from "zod";
import type { Onboarding } from "../../contracts/onboarding/onboarding.js";
import { OnboardingStep, onboardingStatuses } from "../../contracts/onboarding/onboarding.js";
import { partnerSettings } from "../../contracts/platform/partner-settings.js";
import {
  isOnboarded,
  lastProgress,
  missingSteps,
  onboardingSteps,
  type OnboardingStep as Step,
} from "../../domain/onboarding/steps.js";
import { success, type Outcome } from "../../domain/outcome.js";
import type { Database, Queryable } from "../platform/database.js";
import { readOwned, type WalletRefusal, type Reader } from "../access/wallet-access.js";

const silentDays = 7;
const dayMs = 86_400_000;

const at = z.string();
const maybeAt = at.nullable();

const Facts = z.object({
  partnerKey: z.string(),
  walletStatus: z.string(),
  isIbanValidated: z.boolean(),
  createdAt: at,
  settings: partnerSettings,
  onboarding: z.object({
    status: z.enum(onboardingStatuses),
    startedAt: at,
    expiresAt: at,
    endedAt: maybeAt,
    reminders: z.int(),
    remindedAt: maybeAt,
    steps: z.array(OnboardingStep),
  }),
  iban: z
    .object({
      status: z.enum(["Waiting", "Validated", "Expired", "Replaced"]),
      code: z.string(),
      requestedAt: at,
      expiresAt: at,
      endedAt: maybeAt,
      feedback: z.string().nullable(),
    })
    .nullable(),
  contract: z
    .object({
      status: z.enum(["Signing", "Signed", "Declined"]),
      requestedAt: at,
      endedAt: maybeAt,
    })
    .nullable(),
  mandate: z
    .object({
      status: z.enum([
        "Draft",
        "Filled",
        "ActivationRequested",
        "Active",
        "DisableRequested",
        "Disabled",
        "Cancelled",
        "Rejected",
      ]),
      createdAt: at,
      activatedAt: maybeAt,
      rejectedAt: maybeAt,
      lastError: z.string().nullable(),
    })
    .nullable(),
});
type Facts = z.output<typeof Facts>;

const selectFacts = `
  select wallet.partner_key as "partnerKey", wallet.status as "walletStatus",
    wallet.is_iban_validated as "isIbanValidated",
    borsello.iso(wallet.creation_date) as "createdAt", partner.settings,
    (select json_build_object('status', o.status, 'startedAt', borsello.iso(o.started_at),
       'expiresAt', borsello.iso(o.expires_at), 'endedAt', borsello.iso(o.ended_at),
       'reminders', o.reminders, 'remindedAt', borsello.iso(o.reminded_at),
       -- Kept once it has ended.
       'steps', case when o.status = 'Running' then '[]'::json else (
         select coalesce(json_agg(json_build_object('name', s.name, 'status', s.status,
           'startedAt', borsello.iso(s.started_at), 'endedAt', borsello.iso(s.ended_at),
           'detail', s.detail) order by s.place), '[]')
         from borsello.onboarding_step as s where s.wallet_id = o.wallet_id) end)
     from borsello.onboarding as o where o.wallet_id = wallet.wallet_id) as onboarding,
    (select json_build_object('status', v.status, 'code', v.code,
       'requestedAt', borsello.iso(v.requested_at), 'expiresAt', borsello.iso(v.expires_at),
       'endedAt', borsello.iso(v.ended_at), 'feedback', v.feedback)
     from borsello.iban_validation as v where v.wallet_id = wallet.wallet_id
     order by v.attempt desc limit 1) as iban,
    (select json_build_object('status', c.status, 'requestedAt', borsello.iso(c.requested_at),
       'endedAt', borsello.iso(coalesce(c.signed_at, c.declined_at)))
     from borsello.contract as c where c.wallet_id = wallet.wallet_id) as contract,
    (select json_build_object('status', m.status, 'createdAt', borsello.iso(m.creation_date),
       'activatedAt', borsello.iso(m.activation_date),
       'rejectedAt', borsello.iso(m.rejection_date), 'lastError', m.last_error)
     from borsello.mandate as m where m.wallet_id = wallet.wallet_id
     order by m.creation_date desc, m.mandate_id desc limit 1) as mandate
  from borsello.wallet join borsello.partner using (partner_key)
  where wallet.wallet_id = $1`;

const readFacts = (database: Queryable, walletId: string): Promise<Facts | undefined> =>
  database.row(Facts, selectFacts, [walletId]);

const stepsOf = ({ settings, ...facts }: Facts): readonly Step[] =>
  onboardingSteps({
    ...facts,
    isActivationFlowEnabled: settings.activationFlowEnabled,
    mandateSetting: settings.onboarding.mandate,
  });

/** While it runs, its steps are those of this moment. */
export const findOnboarding = async (
  database: Database,
  reader: Reader,
  walletId: string,
): Promise<Outcome<Onboarding, WalletRefusal>> => {
  const found = readOwned(await readFacts(database, walletId), reader, walletId);
  if (!found.ok) return found;
  const { status, startedAt, endedAt, steps: kept } = found.value.onboarding;
  const steps = status === "Running" ? stepsOf(found.value) : kept;
  return success({ walletId, status, steps: [...steps], startedAt, endedAt });
};

export interface OnboardingReview {
  readonly status: Onboarding["status"];
  readonly missing: string;
  readonly remindAt: string;
  readonly expiresAt: string;
  readonly reminders: number;
}

/** Ends an onboarding that still runs and keeps its steps as they are now. */
const endOnboarding = (
  database: Database,
  walletId: string,
  status: Exclude<Onboarding["status"], "Running">,
  steps: readonly Step[],
): Promise<number> =>
  database.execute(
    `with ended as (
       update borsello.onboarding set status = $2, ended_at = borsello.platform_now()
       where wallet_id = $1 and status = 'Running'
       returning wallet_id, partner_key
     ), kept as (
       insert into borsello.onboarding_step
         (wallet_id, place, name, status, started_at, ended_at, detail)
       select ended.wallet_id, step.place, step.value ->> 'name', step.value ->> 'status',
         (step.value ->> 'startedAt')::timestamptz, (step.value ->> 'endedAt')::timestamptz,
         step.value ->> 'detail'
       from ended, json_array_elements($3::json) with ordinality as step (value, place)
     )
     insert into borsello.audit
       (actor, partner_key, entity, entity_id, action, from_status, to_status)
     select 'platform', partner_key, 'Onboarding', wallet_id::text, 'end', 'Running', $2
     from ended`,
    [walletId, status, JSON.stringify(steps)],
  );

const daysAfter = (date: string, days: number): string =>
  new Date(new Date(date).getTime() + days * dayMs).toISOString();

const gone: OnboardingReview = {
  status: "Failed",
  missing: "",
  remindAt: new Date(0).toISOString(),
  expiresAt: new Date(0).toISOString(),
  reminders: 0,
};

/** Looks at the wallet as it is now; what is complete, or closed, ends here. */
export const reviewOnboarding = async (
  database: Database,
  walletId: string,
): Promise<OnboardingReview> => {
  const facts = await readFacts(database, walletId);
  if (facts === undefined) return gone;
  const { startedAt, expiresAt, reminders, remindedAt, status } = facts.onboarding;
  const steps = stepsOf(facts);
  const progress = lastProgress(steps, startedAt);
  const heard = remindedAt !== null && remindedAt > progress ? remindedAt : progress;
  const review = {
    missing: missingSteps(steps),
    remindAt: daysAfter(heard, silentDays),
    expiresAt,
    reminders,
  };
  if (status !== "Running") return { ...review, status };
  const end = facts.walletStatus === "Closed" ? "Failed" : "Completed";
  if (end === "Completed" && !isOnboarded(steps)) return { ...review, status };
  await endOnboarding(database, walletId, end, steps);
  return { ...review, status: end };
};

/** Ends an onboarding that took too long. */
export const expireOnboarding = async (database: Database, walletId: string): Promise<void> => {
  const facts = await readFacts(database, walletId);
  if (facts !== undefined) await endOnboarding(database, walletId, "Expired", stepsOf(facts));
};

/** Notes that a silent onboarding was reminded; at most once in a week, however often it is asked. */
export const remindOnboarding = async (database: Database, walletId: string): Promise<void> => {
  await database.execute(
    `with reminded as (
       update borsello.onboarding set reminders = reminders + 1,
         reminded_at = borsello.platform_now()
       where wallet_id = $1 and status = 'Running' and (reminded_at is null
         or reminded_at <= borsello.platform_now() - make_interval(days => $2))
       returning wallet_id, partner_key, reminders
     )
     insert into borsello.audit (actor, partner_key, entity, entity_id, action, detail)
     select 'platform', partner_key, 'Onboarding', wallet_id::text, 'remind',
       json_build_object('reminders', reminders)
     from reminded`,
    [walletId, silentDays - 1],
  );
};
