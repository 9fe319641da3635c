/** Plays a wallet's onboarding to each of its ends. */
import { expect, test } from "vitest";
import { onboardingEvents, walletOnboarding } from "../../orchestrations/wallet-onboarding.flow.js";
import { play, type Answers, type Happening } from "./play.js";

const walletId = "0190a6b0-5a51-7000-8000-000000000001";
const startAt = new Date("2026-11-20T09:00:00.000Z");
const dayMs = 86_400_000;
const after = (days: number): string => new Date(startAt.getTime() + days * dayMs).toISOString();

const reminderDays = [7, 30, 60];

const world = () => {
  const row = {
    status: "Running",
    remindAt: after(7),
    reminders: 0,
    missing: "Waiting for an IBAN",
  };
  const answers: Answers = {
    reviewOnboarding: () => ({ ...row, expiresAt: after(90) }),
    remindOnboarding: () => {
      row.reminders += 1;
      row.remindAt = after(reminderDays[row.reminders] ?? 90);
      return null;
    },
    expireOnboarding: () => {
      row.status = "Expired";
      return null;
    },
  };
  return { row, answers };
};

const run = (answers: Answers, script: readonly Happening[] = []) =>
  play({ flow: walletOnboarding, input: { walletId }, answers, script, startAt });

test("it says what is missing and until when", async () => {
  const played = await run(world().answers);
  expect(played.statuses).toEqual(["Waiting for an IBAN (until 2027-02-18)"]);
  expect(played.waitingFor.toSorted()).toEqual(Object.keys(onboardingEvents).toSorted());
});

test.each(Object.keys(onboardingEvents))(
  "%s makes it look again, and it may be done",
  async (raise) => {
    const { row, answers } = world();
    const reviews: Answers = {
      ...answers,
      reviewOnboarding: (input, now) => {
        const review = answers["reviewOnboarding"]?.(input, now);
        row.status = "Completed";
        return review;
      },
    };
    const played = await run(reviews, [{ raise }]);
    expect(played.steps).toEqual(["reviewOnboarding", "reviewOnboarding"]);
    expect(played.output).toEqual({ status: "Completed" });
  },
);

test("a wallet that is complete at the first look needs no event", async () => {
  const { row, answers } = world();
  row.status = "Completed";
  const played = await run(answers);
  expect(played.output).toEqual({ status: "Completed" });
});

test("reminders come when the review says, and then nothing until the end", async () => {
  const played = await run(world().answers, ["timePasses", "timePasses", "timePasses"]);
  expect(played.now.toISOString()).toBe(after(60));
  expect(played.steps.filter((step) => step === "remindOnboarding")).toHaveLength(3);
  expect(played.statuses.at(-1)).toBe("Waiting for an IBAN (until 2027-02-18; reminders sent: 3)");
});

test("a reminder that fails is tried again a day later, and the onboarding goes on", async () => {
  const { answers } = world();
  const broken = () => {
    throw new Error("no connection");
  };
  const played = await run({ ...answers, remindOnboarding: broken }, ["timePasses", "timePasses"]);
  expect(played.error).toBeNull();
  expect(played.now.getTime()).toBeGreaterThan(new Date(after(8)).getTime());
  expect(played.waitingFor).toContain("ibanSet");
});

test("it expires after ninety days", async () => {
  const { answers } = world();
  const days: Happening[] = Array.from({ length: 4 }, () => "timePasses");
  const played = await run(answers, days);
  expect(played.now.toISOString()).toBe(after(90));
  expect(played.output).toEqual({ status: "Expired" });
});

test("a clock that jumps beyond everything expires it, and leaves the reminders to that step", async () => {
  const { answers } = world();
  const played = await play({
    flow: walletOnboarding,
    input: { walletId },
    answers,
    startAt: new Date(after(91)),
  });
  expect(played.steps).toEqual(["reviewOnboarding", "expireOnboarding", "reviewOnboarding"]);
});

test("an attempt that a later one has replaced ends, without touching the later one", async () => {
  const { row, answers } = world();
  row.status = "Restarted";
  const played = await run(answers, [{ raise: "onboardingClosed" }]);
  expect(played.steps).toEqual(["reviewOnboarding"]);
  expect(played.output).toEqual({ status: "Restarted" });
});

test("a closed wallet's onboarding has failed", async () => {
  const { row, answers } = world();
  row.status = "Failed";
  const played = await run(answers, [{ raise: "onboardingClosed" }]);
  expect(played.output).toEqual({ status: "Failed" });
});

test("a host that slices long timers brings the same reminder at the same time", async () => {
  const played = await play({
    flow: walletOnboarding,
    input: { walletId },
    answers: world().answers,
    // Three days, then the four that are left.
    script: ["timePasses", "timePasses"],
    startAt,
    timerDaysMax: 6,
  });
  expect(played.now.toISOString()).toBe(after(7));
  expect(played.steps.filter((step) => step === "remindOnboarding")).toHaveLength(1);
});
