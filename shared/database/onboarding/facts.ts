/** The facts of a wallet that its onboarding is read from, and the steps that they make. */
import { z } from "zod";
import { OnboardingStep, onboardingStatuses } from "../../contracts/onboarding/onboarding.js";
import { partnerSettings } from "../../contracts/platform/partner-settings.js";
import {
  closedSteps,
  onboardingSteps,
  type OnboardingFacts,
  type OnboardingStep as Step,
} from "../../domain/onboarding/steps.js";
import { isSamePerson } from "../../domain/wallet/same-person.js";
import type { Queryable } from "../platform/database.js";

const at = z.string();
const maybeAt = at.nullable();

const Person = z.object({ taxId: z.string(), firstName: z.string(), lastName: z.string() });

const Facts = z.object({
  holder: Person,
  partnerKey: z.string(),
  walletStatus: z.string(),
  /** Closed, or reopened and not reactivated since. */
  awaitsReactivation: z.boolean(),
  walletIban: z.string().nullable(),
  walletBic: z.string().nullable(),
  isIbanValidated: z.boolean(),
  settings: partnerSettings,
  onboarding: z.object({
    attempt: z.int(),
    status: z.enum(onboardingStatuses),
    startedAt: at,
    expiresAt: at,
    endedAt: maybeAt,
    reminders: z.int(),
    steps: z.array(OnboardingStep),
  }),
  iban: z
    .object({
      status: z.enum(["Waiting", "Validated", "Expired", "Replaced", "Closed"]),
      code: z.string(),
      requestedAt: at,
      expiresAt: at,
      endedAt: maybeAt,
      feedback: z.string().nullable(),
    })
    .nullable(),
  contract: z
    .object({
      status: z.enum(["Signing", "Signed", "Declined", "Closed"]),
      requestedAt: at,
      endedAt: maybeAt,
      /** Null: nothing is known of whose it is. */
      signedAs: Person.nullable(),
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
export type Facts = z.output<typeof Facts>;

const selectFacts = `
  select borsello.contract_holder(wallet) as holder, wallet.partner_key as "partnerKey", wallet.status as "walletStatus",
    wallet.status = 'Closed' or (wallet.status = 'Suspended' and wallet.reopening_date is not null
      and wallet.reopening_date > coalesce(wallet.reactivation_date, '-infinity'))
      as "awaitsReactivation",
    wallet.iban as "walletIban", wallet.bic as "walletBic",
    wallet.is_iban_validated as "isIbanValidated", partner.settings,
    (select json_build_object('attempt', o.attempt, 'status', o.status, 'startedAt', borsello.iso(o.started_at),
       'expiresAt', borsello.iso(o.expires_at), 'endedAt', borsello.iso(o.ended_at),
       'reminders', o.reminders,
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
       -- One that is signed anew still has the date of the signature before.
       'endedAt', borsello.iso(case c.status when 'Signed' then c.signed_at else c.declined_at end),
       'signedAs', c.holder)
     from borsello.contract as c where c.wallet_id = wallet.wallet_id) as contract,
    (select json_build_object('status', m.status, 'createdAt', borsello.iso(m.creation_date),
       'activatedAt', borsello.iso(m.activation_date),
       'rejectedAt', borsello.iso(m.rejection_date), 'lastError', m.last_error)
     from borsello.mandate as m where m.wallet_id = wallet.wallet_id
     order by m.creation_date desc, m.mandate_id desc limit 1) as mandate
  from borsello.wallet join borsello.partner using (partner_key)
  where wallet.wallet_id = $1`;

/** Undefined: there is no such wallet. */
export const readFacts = (database: Queryable, walletId: string): Promise<Facts | undefined> =>
  database.row(Facts, selectFacts, [walletId]);

const domainFacts = ({
  settings,
  walletIban,
  holder,
  contract,
  ...facts
}: Facts): OnboardingFacts => ({
  ...facts,
  contract:
    contract === null
      ? null
      : {
          ...contract,
          isOfHolder: contract.signedAs === null || isSamePerson(contract.signedAs, holder),
        },
  hasIban: walletIban !== null,
  isActivationFlowEnabled: settings.activationFlowEnabled,
  mandateSetting: settings.onboarding.mandate,
});

export const stepsOf = (facts: Facts): readonly Step[] => onboardingSteps(domainFacts(facts));

/** As they stay where the wallet is closed now. */
export const stepsAtClosing = (facts: Facts): readonly Step[] => closedSteps(domainFacts(facts));
