/** The onboarding of a wallet: its view, its review, its reminders and its ends. */
import { z } from "zod";
import type { Onboarding } from "../../contracts/onboarding/onboarding.js";
import {
  isOnboarded,
  missingSteps,
  openSteps,
  reminderDays,
  type OnboardingStep as Step,
} from "../../domain/onboarding/steps.js";
import { success, type Outcome } from "../../domain/outcome.js";
import type { Database, Queryable } from "../platform/database.js";
import { readOwned, type WalletRefusal, type Reader } from "../access/wallet-access.js";
import { readFacts, stepsAtClosing, stepsOf, type Facts } from "./facts.js";

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

/** Which life of a wallet's onboarding: 1, 2, 3 … */
export interface OnboardingAttempt {
  readonly walletId: string;
  readonly attempt: number;
}

export interface OnboardingReview {
  /** Restarted: a later attempt has taken this one's place. */
  readonly status: Onboarding["status"] | "Restarted";
  readonly missing: string;
  readonly remindAt: string;
  readonly expiresAt: string;
  readonly reminders: number;
}

/** Ends an onboarding that runs and keeps its steps as they are now. */
const endOnboarding = (
  tx: Queryable,
  { walletId, actor }: { readonly walletId: string; readonly actor: string },
  status: Exclude<Onboarding["status"], "Running">,
  steps: readonly Step[],
): Promise<number> =>
  tx.execute(
    `with ended as (
       update borsello.onboarding as o set status = $2, ended_at = borsello.platform_now(),
         version = version + 1
       where wallet_id = $1 and status = 'Running'
       returning o
     ), kept as (
       insert into borsello.onboarding_step
         (wallet_id, place, name, status, started_at, ended_at, detail)
       select (ended.o).wallet_id, step.place, step.value ->> 'name', step.value ->> 'status',
         (step.value ->> 'startedAt')::timestamptz, (step.value ->> 'endedAt')::timestamptz,
         step.value ->> 'detail'
       from ended, json_array_elements($3::json) with ordinality as step (value, place)
     )
     select borsello.record_onboarding_change(
       o, $4, 'end', 'Running', 'OnboardingEnded', borsello.onboarding_event(o, $3::json))
     from ended`,
    [walletId, status, JSON.stringify(steps), actor],
  );

const daysAfter = (date: string, days: number): string =>
  new Date(new Date(date).getTime() + days * 86_400_000).toISOString();

/** Undefined: all reminders were sent. */
const nextReminder = ({ startedAt, reminders }: Facts["onboarding"]): string | undefined => {
  const days = reminderDays[reminders];
  return days === undefined ? undefined : daysAfter(startedAt, days);
};

const over = (status: OnboardingReview["status"]): OnboardingReview => ({
  status,
  missing: "",
  remindAt: new Date(0).toISOString(),
  expiresAt: new Date(0).toISOString(),
  reminders: 0,
});

const reviewOf = (facts: Facts, attempt: number): OnboardingReview => {
  const { onboarding } = facts;
  if (onboarding.attempt !== attempt) return over("Restarted");
  const { expiresAt, reminders, status } = onboarding;
  const missing = missingSteps(stepsOf(facts));
  return {
    status,
    missing,
    remindAt: nextReminder(onboarding) ?? expiresAt,
    expiresAt,
    reminders,
  };
};

const isOver = (facts: Facts): boolean =>
  facts.walletStatus === "Closed" || isOnboarded(stepsOf(facts));

/** Does something with an attempt that runs, while nothing else can change its wallet. */
const withRunning = <Value>(
  database: Database,
  { walletId, attempt }: OnboardingAttempt,
  work: (tx: Queryable, facts: Facts) => Promise<Value>,
): Promise<Value | undefined> =>
  database.transaction(async (tx) => {
    await tx.execute("select from borsello.wallet where wallet_id = $1 for no key update", [
      walletId,
    ]);
    const facts = await readFacts(tx, walletId);
    const { onboarding } = facts ?? {};
    if (facts === undefined || onboarding?.attempt !== attempt) return undefined;
    return onboarding.status === "Running" ? work(tx, facts) : undefined;
  });

const platform = "platform";

/** True: it was closed or complete, and ends now. */
const endWhatIsOver = async (tx: Queryable, walletId: string, facts: Facts): Promise<boolean> => {
  if (!isOver(facts)) return false;
  const of = { walletId, actor: platform };
  if (facts.walletStatus === "Closed") await endOnboarding(tx, of, "Failed", stepsAtClosing(facts));
  else await endOnboarding(tx, of, "Completed", stepsOf(facts));
  return true;
};

/** Looks at the wallet as it is now; what is complete, or closed, ends here. */
export const reviewOnboarding = async (
  database: Database,
  asked: OnboardingAttempt,
): Promise<OnboardingReview> => {
  const { walletId, attempt } = asked;
  const facts = await readFacts(database, walletId);
  if (facts === undefined) return over("Failed");
  const review = reviewOf(facts, attempt);
  if (review.status !== "Running" || !isOver(facts)) return review;
  await withRunning(database, asked, (tx, now) => endWhatIsOver(tx, walletId, now));
  const later = await readFacts(database, walletId);
  return later === undefined ? over("Failed") : reviewOf(later, attempt);
};

/** Ends what runs of a wallet that is closed now, for that reason; the caller holds the wallet's row. */
export const failOnboarding = async (
  tx: Queryable,
  of: { readonly walletId: string; readonly actor: string },
): Promise<void> => {
  const facts = await readFacts(tx, of.walletId);
  if (facts !== undefined) await endOnboarding(tx, of, "Failed", stepsAtClosing(facts));
};

const wakeFlow = `
  select borsello.tell_flows('OnboardingClosed', $1::uuid::text,
    json_build_object('walletId', $1::uuid, 'partnerKey', $2::text))`;

/** Ends what runs with no step left open, and has its flow see that; the caller holds the wallet's row. */
export const completeOnboarding = async (
  tx: Queryable,
  of: { readonly walletId: string; readonly actor: string },
  facts: Facts,
): Promise<void> => {
  await endOnboarding(tx, of, "Completed", stepsOf(facts));
  await tx.execute(wakeFlow, [of.walletId, facts.partnerKey]);
};

const Reminded = z.object({ reminders: z.int() });

/** Of the days of all reminders, `$2`, the one that is next; `$3` are the view's steps. */
const writeReminder = `
  with reminded as (
    update borsello.onboarding as o set reminders = reminders + 1,
      reminded_at = borsello.platform_now(), version = version + 1
    where wallet_id = $1 and status = 'Running' and started_at
      + make_interval(days => ($2::integer[])[reminders + 1]) <= borsello.platform_now()
    returning o, ($2::integer[])[o.reminders] as day
  )
  select (o).reminders, borsello.record_onboarding_change(o, '${platform}', 'remind', 'Running',
    'OnboardingReminder', borsello.json_with(borsello.onboarding_event(o, $3::json),
      json_build_object('openSteps', $4::text[], 'day', day)))
  from reminded`;

/** True: the next reminder was due, and is written now. */
const remind = async (tx: Queryable, walletId: string, facts: Facts): Promise<boolean> => {
  const steps = stepsOf(facts);
  const values = [walletId, reminderDays, JSON.stringify(steps), openSteps(steps)];
  return (await tx.row(Reminded, writeReminder, values)) !== undefined;
};

/** Tells the partner what is open where a reminder is due: each once, however often it is asked. */
export const remindOnboarding = async (
  database: Database,
  attempt: OnboardingAttempt,
): Promise<void> => {
  await withRunning(database, attempt, async (tx, facts) => {
    if (!isOver(facts)) await remind(tx, attempt.walletId, facts);
  });
};

/** Ends an onboarding that took too long; reminders that nobody was there to send come first. */
export const expireOnboarding = async (
  database: Database,
  attempt: OnboardingAttempt,
): Promise<void> => {
  const { walletId } = attempt;
  await withRunning(database, attempt, async (tx, facts) => {
    if (await endWhatIsOver(tx, walletId, facts)) return;
    let isReminded = true;
    while (isReminded) isReminded = await remind(tx, walletId, facts);
    await endOnboarding(tx, { walletId, actor: platform }, "Expired", stepsOf(facts));
  });
};
