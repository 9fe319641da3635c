/** Which onboarding step stands where, fact by fact. */
import { expect, test } from "vitest";
import {
  isOnboarded,
  missingSteps,
  onboardingSteps,
  type ContractFacts,
  type IbanFacts,
  type MandateFacts,
  type OnboardingFacts,
} from "../../../shared/domain/onboarding/steps.js";

const at = "2026-11-20T09:00:00.000Z";
const later = "2026-11-21T09:00:00.000Z";

const iban = (facts: Partial<IbanFacts> = {}): IbanFacts => ({
  status: "Validated",
  code: "K7PM2XQ4",
  requestedAt: at,
  expiresAt: "2026-12-20T09:00:00.000Z",
  endedAt: later,
  feedback: null,
  ...facts,
});
const contract = (facts: Partial<ContractFacts> = {}): ContractFacts => ({
  isOfHolder: true,
  status: "Signed",
  requestedAt: at,
  endedAt: later,
  ...facts,
});
const mandate = (facts: Partial<MandateFacts> = {}): MandateFacts => ({
  status: "Active",
  createdAt: at,
  activatedAt: later,
  rejectedAt: null,
  lastError: null,
  ...facts,
});

const complete: OnboardingFacts = {
  hasIban: true,
  isIbanValidated: true,
  isActivationFlowEnabled: true,
  mandateSetting: "required",
  iban: iban(),
  contract: contract(),
  mandate: mandate(),
};

const nothing: OnboardingFacts = {
  ...complete,
  hasIban: false,
  isIbanValidated: false,
  iban: null,
  contract: null,
  mandate: null,
};

const statuses = (facts: Partial<OnboardingFacts>): string[] =>
  onboardingSteps({ ...complete, ...facts }).map(({ status }) => status);

const step = (place: number, facts: Partial<OnboardingFacts>) =>
  onboardingSteps({ ...complete, ...facts })[place];

test("a new wallet waits for all three", () => {
  const steps = onboardingSteps(nothing);
  expect(steps.map(({ status }) => status)).toEqual(["Waiting", "Waiting", "Waiting"]);
  expect(steps.map(({ startedAt }) => startedAt)).toEqual([null, null, null]);
  expect(missingSteps(steps)).toBe(
    "Waiting for an IBAN; Waiting for the contract's signature; Waiting for a mandate",
  );
  expect(isOnboarded(steps)).toBe(false);
});

test("with all three done it is onboarded", () => {
  const steps = onboardingSteps(complete);
  expect(steps.map(({ status }) => status)).toEqual(["Completed", "Completed", "Completed"]);
  expect(steps.map(({ startedAt, endedAt }) => [startedAt, endedAt])).toEqual([
    [at, later],
    [at, later],
    [at, later],
  ]);
  expect(isOnboarded(steps)).toBe(true);
  expect(missingSteps(steps)).toBe("");
});

test("a waiting IBAN tells code, date and why the last credit did not fit", () => {
  const waiting = iban({ status: "Waiting", endedAt: null, feedback: "Amount: not 1.00" });
  expect(step(0, { iban: waiting, isIbanValidated: false })).toEqual({
    name: "ibanValidation",
    status: "Waiting",
    startedAt: at,
    endedAt: null,
    detail:
      "Waiting for the first SCT with code K7PM2XQ4 (until 2026-12-20); " +
      "the last one did not fit: Amount: not 1.00",
  });
});

test("an expired IBAN has failed, and a removed one is waited for again", () => {
  expect(step(0, { iban: iban({ status: "Expired" }), isIbanValidated: false })?.status).toBe(
    "Failed",
  );
  const removed = { hasIban: false, isIbanValidated: false };
  expect(step(0, { iban: iban(), ...removed })?.detail).toContain("removed");
  expect(step(0, { iban: iban({ status: "Replaced" }), isIbanValidated: false })?.status).toBe(
    "Waiting",
  );
});

test.each([
  ["Signing", "Running"],
  ["Signed", "Completed"],
  ["Declined", "Failed"],
  ["Closed", "Waiting"],
] as const)("a contract that is %s is %s", (status, expected) => {
  expect(step(1, { contract: contract({ status }) })?.status).toBe(expected);
});

test("a partner without the activation flow skips the contract", () => {
  const facts = { isActivationFlowEnabled: false, contract: null };
  expect(statuses({ ...facts, mandateSetting: "none", mandate: null })).toEqual([
    "Completed",
    "Skipped",
    "Skipped",
  ]);
});

test.each([
  ["Draft", "Waiting", "Waiting"],
  ["Filled", "Waiting", "Waiting"],
  ["ActivationRequested", "Running", "Running"],
  ["Active", "Completed", "Completed"],
  ["Rejected", "Failed", "Skipped"],
  ["Cancelled", "Waiting", "Skipped"],
  ["DisableRequested", "Waiting", "Skipped"],
  ["Disabled", "Waiting", "Skipped"],
] as const)("a mandate that is %s is %s where required, %s where optional", (status, must, may) => {
  const facts = { mandate: mandate({ status }) };
  expect(step(2, { ...facts, mandateSetting: "required" })?.status).toBe(must);
  expect(step(2, { ...facts, mandateSetting: "optional" })?.status).toBe(may);
  expect(step(2, { ...facts, mandateSetting: "none" })?.status).toBe("Skipped");
});

test("an optional mandate is skipped only once the rest is done", () => {
  const facts = { mandateSetting: "optional", mandate: null } as const;
  expect(step(2, { ...facts, contract: null })?.status).toBe("Waiting");
  expect(step(2, facts)?.status).toBe("Skipped");
});
