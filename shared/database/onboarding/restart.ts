/** Starts a wallet's onboarding again from the facts: what is settled stays so, what is open begins anew. */
import { z } from "zod";
import { isOnboarded } from "../../domain/onboarding/steps.js";
import { newValidationCode } from "../../platform/readable-codes.js";
import type { Actor } from "../access/wallet-access.js";
import type { Queryable } from "../platform/database.js";
import { readFacts, stepsOf, type Facts } from "./facts.js";
import { completeOnboarding } from "./onboarding.js";

const Awaited = z.object({ attempt: z.int() });

/** A code that another wallet waits with makes no row. */
const awaitTransfer = `
  with awaited as (
    insert into borsello.iban_validation (wallet_id, attempt, partner_key, iban, bic, code,
      transfer_amount_cents, expires_at)
    select wallet_id, 1 + coalesce((
        select max(attempt) from borsello.iban_validation where wallet_id = $1), 0),
      partner_key, iban, bic, $3, $4, borsello.platform_now() + $5 * interval '1 day'
    from borsello.wallet where wallet_id = $1
    on conflict (code) where status = 'Waiting' do nothing
    returning attempt
  ), changed as (
    update borsello.wallet as w set iban_validation_code = $3, version = version + 1,
      last_update_date = borsello.platform_now()
    from awaited where wallet_id = $1 returning w
  )
  select attempt, borsello.record_iban_change(w, $2, 'restartIbanValidation', 'WalletUpdated',
    borsello.wallet_updated_event(w), null, attempt)
  from changed, awaited`;

const codeAttemptsMax = 5;

const restartIbanValidation = async (
  tx: Queryable,
  { clientId }: Actor,
  walletId: string,
  { settings }: Facts,
): Promise<void> => {
  const { transferAmountCents, validDays } = settings.ibanVerification;
  for (let tried = 0; tried < codeAttemptsMax; tried += 1) {
    const values = [walletId, clientId, newValidationCode(), transferAmountCents, validDays];
    if ((await tx.row(Awaited, awaitTransfer, values)) !== undefined) return;
  }
  throw new Error("No code was free for an IBAN validation.");
};

/** The ended view's steps go: while it runs, they are read from the wallet's rows. */
const restartView = `
  with restarted as (
    update borsello.onboarding as o set status = 'Running', attempt = attempt + 1,
      started_at = borsello.platform_now(), ended_at = null,
      expires_at = borsello.platform_now() + interval '90 days',
      reminders = 0, reminded_at = null, version = version + 1
    where wallet_id = $1 and status <> 'Running'
    returning o, old.status as status_before
  ), cleared as (
    delete from borsello.onboarding_step using restarted where wallet_id = (o).wallet_id
  )
  select borsello.record_onboarding_change(o, $2, 'restart', status_before, null, null),
    borsello.tell_flows('OnboardingRestarted', (o).wallet_id::text, json_build_object(
      'walletId', (o).wallet_id, 'partnerKey', (o).partner_key, 'attempt', (o).attempt))
  from restarted`;

/**
 * To be called by whoever reactivates a wallet or takes away what had been settled, in the same
 * transaction, after the change; the caller holds the wallet's row. An IBAN that is neither validated
 * nor awaited gets a new code; a view that has ended runs again where a step is open, or where closing
 * ended it; one that runs with no step left open is complete. Where nothing is to be done nothing
 * happens; the onboarding of a wallet that was closed waits for its reactivation.
 */
export const restartOnboarding = async (
  tx: Queryable,
  actor: Actor,
  walletId: string,
): Promise<void> => {
  const before = await readFacts(tx, walletId);
  if (before === undefined || before.awaitsReactivation) return;
  const { walletIban, isIbanValidated, iban } = before;
  if (walletIban !== null && !isIbanValidated && iban?.status !== "Waiting")
    await restartIbanValidation(tx, actor, walletId, before);
  const facts = await readFacts(tx, walletId);
  if (facts === undefined) return;
  const { status } = facts.onboarding;
  const isComplete = isOnboarded(stepsOf(facts));
  if (status === "Running") {
    if (isComplete) await completeOnboarding(tx, { walletId, actor: actor.clientId }, facts);
    return;
  }
  // Only closing fails a view, and it can settle the last step itself: the review completes that life.
  if (status === "Failed" || !isComplete) await tx.execute(restartView, [walletId, actor.clientId]);
};
