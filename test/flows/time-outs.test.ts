/** What flows do when nobody answers: the sandbox's clock stands for the waiting. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { instanceOf, partnerAt, type Partner } from "../support/platform/partner.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";

let stack: TestStack;
let acme: Partner;

beforeAll(async () => {
  stack = await startTestStack();
  acme = partnerAt(stack, "acme");
});
afterAll(async () => {
  await stack.stop();
});

test("thirty days without a transfer clear the IBAN, and a new one starts the step again", async () => {
  const owner = await acme.openWallet();
  await acme.setIban(owner);
  const { startedAt } = await acme.onboarding(owner);
  await expect.poll(() => instanceOf(stack, `iban-${owner.walletId}-1`)).not.toBeNull();
  await acme.moveClock(startedAt, 29);
  expect(await acme.step(owner, "ibanValidation")).toMatchObject({ status: "Waiting" });
  await acme.moveClock(startedAt, 30.1);
  await acme.stepBecomes(owner, "ibanValidation", "Failed", /cleared/);
  await acme.pay(owner, await acme.setIban(owner));
  await acme.stepBecomes(owner, "ibanValidation", "Completed");
});

test("a mandate that the bank never answers lapses after ten bank days, and can be signed again", async () => {
  const owner = await acme.openValidatedWallet();
  const { mandateId } = await acme.initialiseMandate(owner, 10.98);
  const { activationRequestDate } = await acme.signMandate(owner);
  expect(activationRequestDate).not.toBeNull();
  await expect
    .poll(async () => (await instanceOf(stack, `mandate-${mandateId}`))?.customStatus)
    .toContain("Waiting for the bank to activate the mandate (until ");
  await acme.moveClock(activationRequestDate ?? "", 9);
  expect(await acme.mandate(owner)).toMatchObject({ status: "ActivationRequested" });
  await acme.moveClock(activationRequestDate ?? "", 25);
  await acme.mandateBecomes(owner, "Draft");
  expect((await acme.mandate(owner)).lastError).toBe("BankSilent");
  await acme.stepBecomes(owner, "mandateActivation", "Waiting", /BankSilent/);
  await acme.signMandate(owner);
  await acme.mandateBecomes(owner, "ActivationRequested");
});

test("a silent onboarding is reminded after seven days and expires after ninety", async () => {
  const owner = await acme.openWallet();
  const flow = `onboarding-${owner.walletId}`;
  const { startedAt } = await acme.onboarding(owner);
  await expect.poll(() => instanceOf(stack, flow)).not.toBeNull();
  await acme.moveClock(startedAt, 8);
  await expect
    .poll(async () => (await instanceOf(stack, flow))?.customStatus)
    .toContain("reminders sent: 1");
  await acme.moveClock(startedAt, 90.1);
  await acme.onboardingBecomes(owner, "Expired");
  const view = await acme.onboarding(owner);
  expect(view.steps.map(({ status }) => status)).toEqual(["Waiting", "Waiting", "Waiting"]);
  await acme.signContract(owner);
  expect(await acme.onboarding(owner)).toEqual(view);
});
