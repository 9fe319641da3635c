/** The reminders of an onboarding on real tables: each once, with what is open, and before its end. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  expireOnboarding,
  findOnboarding,
  remindOnboarding,
} from "../../../shared/database/onboarding/onboarding.js";
import type { Database } from "../../../shared/database/platform/database.js";
import {
  countOf,
  openBankTest,
  outboxOf,
  writeWaitingWallet,
  type BankTest,
} from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
let database: Database;

beforeAll(async () => {
  bank = await openBankTest();
  ({ database } = bank);
  await database.execute(
    `update borsello.partner set settings = '{"onboarding": {"mandate": "required"}}'
     where partner_key = 'acme'`,
  );
});
afterAll(() => bank.end());

const firstOf = (walletId: string) => ({ walletId, attempt: 1 });

const viewOf = async (walletId: string) => {
  const reader = { partnerKey: "acme", isOperator: false };
  const found = await findOnboarding(database, reader, walletId);
  if (!found.ok) throw new Error(found.code);
  return found.value;
};

const moveClock = (days: number) =>
  database.execute("update borsello.sandbox_clock set offset_ms = offset_ms + $1", [
    days * 86_400_000,
  ]);

const remindersOf = async (walletId: string) =>
  (await outboxOf(database, walletId))
    .filter(({ subject }) => subject === "OnboardingReminder")
    .map(({ body }) => body);
const remindThrice = async (walletId: string) => {
  for (let times = 0; times < 3; times += 1) await remindOnboarding(database, firstOf(walletId));
};

test("reminders come after 7, 30 and 60 days, each once, however often they are asked for", async () => {
  const { walletId } = await writeWaitingWallet(database);
  const days = async () => (await remindersOf(walletId)).map(({ day }) => day);
  for (const [passed, told] of [
    [6.9, []],
    [0.2, [7]],
    [22.7, [7]],
    [0.3, [7, 30]],
    [30, [7, 30, 60]],
    [20, [7, 30, 60]],
  ] as const) {
    await moveClock(passed);
    await remindThrice(walletId);
    expect(await days()).toEqual(told);
  }
  const audits = `select count(*) from borsello.audit
    where entity = 'Onboarding' and entity_id = $1 and action = 'remind'`;
  expect(await countOf(database, audits, [walletId])).toBe(3);
});

test("reminders that nobody was there to send come one by one, with the view and what is open", async () => {
  const { walletId } = await writeWaitingWallet(database);
  const { startedAt } = await viewOf(walletId);
  await moveClock(61);
  await remindOnboarding(database, firstOf(walletId));
  expect(await remindersOf(walletId)).toEqual([
    expect.objectContaining({
      ...{ walletId, partnerKey: "acme", status: "Running", startedAt, endedAt: null, day: 7 },
      openSteps: ["ibanValidation", "contractSigning", "mandateActivation"],
      steps: (await viewOf(walletId)).steps,
    }) as unknown,
  ]);
  await remindThrice(walletId);
  expect(await remindersOf(walletId)).toHaveLength(3);
});

test("reminders come before the end where both are due", async () => {
  const { walletId } = await writeWaitingWallet(database);
  await moveClock(91);
  await expireOnboarding(database, firstOf(walletId));
  await expireOnboarding(database, firstOf(walletId));
  const told = (await outboxOf(database, walletId)).map(({ subject }) => subject);
  const thrice = ["OnboardingReminder", "OnboardingReminder", "OnboardingReminder"];
  expect(told.filter((subject) => subject.startsWith("Onboarding"))).toEqual([
    ...thrice,
    "OnboardingEnded",
  ]);
});
