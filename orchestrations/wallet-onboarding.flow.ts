/** Follows a new wallet until IBAN, contract and mandate are settled; reminds, ends after 90 days. */
import { z } from "zod";
import { flow, flowEvent, step, aFewTimes } from "../shared/durable/flow.js";

/** The first attempt is the wallet's own; each restart is another, with an instance of its own. */
const Onboarding = z.object({ walletId: z.uuid(), attempt: z.int().positive().default(1) });

/** Wake-ups: something that the onboarding waits for has moved. */
export const onboardingEvents = {
  ibanSet: flowEvent("ibanSet", z.unknown()),
  /** Validated, expired, replaced or removed. */
  ibanEnded: flowEvent("ibanEnded", z.unknown()),
  contractSigned: flowEvent("contractSigned", z.unknown()),
  contractDeclined: flowEvent("contractDeclined", z.unknown()),
  mandateInitialised: flowEvent("mandateInitialised", z.unknown()),
  /** Active, rejected, cancelled, disabled or lapsed. */
  mandateEnded: flowEvent("mandateEnded", z.unknown()),
  onboardingClosed: flowEvent("onboardingClosed", z.unknown()),
} as const;

/** Looks at the wallet's present state, and records the end of the onboarding once it is reached. */
export const reviewOnboarding = step("reviewOnboarding", {
  input: Onboarding,
  output: z.object({
    /** Restarted: a later attempt has taken this one's place. */
    status: z.enum(["Running", "Completed", "Expired", "Failed", "Restarted"]),
    /** What is still missing, in words. */
    missing: z.string(),
    remindAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    reminders: z.int(),
  }),
});
export const remindOnboarding = step("remindOnboarding", {
  input: Onboarding,
  output: z.null(),
  retry: aFewTimes,
});
export const expireOnboarding = step("expireOnboarding", { input: Onboarding, output: z.null() });

/** An instance that has ended would miss what is raised to it, so each attempt has another. */
export const walletOnboardingId = (walletId: string, attempt: number): string =>
  attempt === 1 ? `onboarding-${walletId}` : `onboarding-${walletId}-${attempt}`;

const wakeUps = Object.values(onboardingEvents);

const dayMs = 86_400_000;

const earlier = (left: Date, right: Date): Date => (left < right ? left : right);

export const walletOnboarding = flow({
  name: "walletOnboarding",
  input: Onboarding,
  steps: [reviewOnboarding, remindOnboarding, expireOnboarding],
  *body(context, input) {
    const { status, missing, reminders, ...dates } = yield* context.run(reviewOnboarding, input);
    if (status !== "Running") {
      context.setStatus(`The onboarding is over: ${status}`);
      return { status };
    }
    const expiresAt = new Date(dates.expiresAt);
    const remindAt = new Date(dates.remindAt);
    const reminded = reminders === 0 ? "" : `; reminders sent: ${reminders}`;
    context.setStatus(`${missing} (until ${dates.expiresAt.slice(0, 10)}${reminded})`);
    if (context.now() >= expiresAt) {
      yield* context.run(expireOnboarding, input);
    } else if (context.now() >= remindAt) {
      // A reminder that can't be recorded must not end the onboarding: it is tried again tomorrow.
      const reminder = yield* context.attempt(remindOnboarding, input);
      const tomorrow = new Date(context.now().getTime() + dayMs);
      if (!reminder.ok) yield* context.waitFor(wakeUps, earlier(tomorrow, expiresAt));
    } else {
      yield* context.waitFor(wakeUps, earlier(remindAt, expiresAt));
    }
    return context.again(input);
  },
});
