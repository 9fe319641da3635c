/** What flows do when nobody answers, and timers by themselves: the sandbox's clock stands for the waiting. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { platformNow } from "../../shared/database/platform/platform-time.js";
import { openStackDatabase } from "../support/platform/api.js";
import { instanceOf, partnerAt, type Partner } from "../support/platform/partner.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { outboxOf } from "../support/wallet/bank-fixtures.js";

let stack: TestStack;
let database: ReturnType<typeof openStackDatabase>;
let acme: Partner;

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  acme = partnerAt(stack, "acme");
});
afterAll(async () => {
  await database.close();
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

test("a partner is reminded of an onboarding after 7, 30 and 60 days, once each, and told of its end", async () => {
  const owner = await acme.openWallet();
  const flow = `onboarding-${owner.walletId}`;
  const told = async () =>
    (await outboxOf(database, owner.walletId))
      .filter(({ subject }) => subject.startsWith("Onboarding"))
      .map(({ body }) => body["day"] ?? body["status"]);
  const { startedAt } = await acme.onboarding(owner);
  await expect.poll(() => instanceOf(stack, flow)).not.toBeNull();
  await acme.moveClock(startedAt, 8);
  await expect.poll(told).toEqual([7]);
  await stack.restart();
  // Over two reminders at once.
  await acme.moveClock(startedAt, 62);
  await expect.poll(told).toEqual([7, 30, 60]);
  await expect
    .poll(async () => (await instanceOf(stack, flow))?.customStatus)
    .toContain("reminders sent: 3");
  await acme.moveClock(startedAt, 90.1);
  await acme.onboardingBecomes(owner, "Expired");
  expect(await told()).toEqual([7, 30, 60, "Expired"]);
  const view = await acme.onboarding(owner);
  expect(view.steps.map(({ status }) => status)).toEqual(["Waiting", "Waiting", "Waiting"]);
  await acme.signContract(owner);
  expect(await acme.onboarding(owner)).toEqual(view);
});

test("an onboarding that expired starts anew at reactivation, with reminders of its own", async () => {
  const owner = await acme.openWallet();
  const { startedAt } = await acme.onboarding(owner);
  await expect.poll(() => instanceOf(stack, `onboarding-${owner.walletId}`)).not.toBeNull();
  await acme.moveClock(startedAt, 91);
  await acme.onboardingBecomes(owner, "Expired");
  await acme.closeWallet(owner);
  expect((await acme.onboarding(owner)).status).toBe("Expired");
  await acme.reviveWallet(owner);
  const anew = await acme.onboarding(owner);
  expect(anew.status).toBe("Running");
  await expect.poll(() => instanceOf(stack, `onboarding-${owner.walletId}-2`)).not.toBeNull();
  await acme.moveClock(anew.startedAt, 8);
  const reminded = async () =>
    (await outboxOf(database, owner.walletId))
      .filter(({ subject }) => subject === "OnboardingReminder")
      .map(({ body }) => body["day"]);
  await expect.poll(reminded).toEqual([7, 30, 60, 7]);
});

const TimerName = z.object({ name: z.string() });

test("a week passes in which every timer runs and none fails", async () => {
  const begin = await platformNow(database);
  await acme.moveClock(begin, 8);
  const notYet = () =>
    database.rows(
      TimerName,
      `select function_name as name from host.timer_status
       where last_run is null or last_run <= $1`,
      [begin],
    );
  await expect.poll(notYet).toEqual([]);
  const lines = stack.output().split("\n");
  expect(lines.filter((line) => line.includes("Host.Timer"))).toEqual([]);
});
