/** A mandate's collections against a bank that is silent, repeats itself, refuses and takes back, through the front door. */
import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getWalletBalanceRoute } from "../../shared/contracts/ledger/balance.js";
import { getFlowRunRoute } from "../../shared/contracts/settlement/flows.js";
import { triggerMandateDepositRequestRoute } from "../../shared/contracts/settlement/deposit-trigger.js";
import type { Database } from "../../shared/database/platform/database.js";
import { clientOf, openStackDatabase } from "../support/platform/api.js";
import { instanceOf, partnerAt, type Owner, type Partner } from "../support/platform/partner.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { collectionsOf, type AskedCollection } from "../support/wallet/collections.js";

let stack: TestStack;
let acme: Partner;
let database: Database;
let bus: ServiceBusClient;
beforeAll(async () => {
  stack = await startTestStack();
  acme = partnerAt(stack, "acme");
  database = openStackDatabase(stack);
  bus = new ServiceBusClient(stack.brokerConnectionString);
});
afterAll(async () => {
  await bus.close();
  await database.close();
  await stack.stop();
});

const balance = async ({ walletId }: Owner): Promise<number | undefined> => {
  const found = await clientOf(stack, "acme").call(getWalletBalanceRoute, { params: { walletId } });
  return found.ok ? found.value.availableBalance : undefined;
};
const lastOf = async (owner: Owner): Promise<AskedCollection | undefined> =>
  (await collectionsOf(database, (await acme.mandate(owner)).mandateId)).at(-1);
const trigger = async (mandateId: string) => {
  const asked = await clientOf(stack, "acme").call(triggerMandateDepositRequestRoute, {
    query: { mandateId },
  });
  if (!asked.ok) throw new Error(`the trigger answered ${asked.status}`);
  return asked.value;
};

/** On the day on which the next collection is to be asked for; resolves to its request once it is there. */
const collect = async (owner: Owner): Promise<AskedCollection> => {
  const { mandateId, nextDepositRequestDate } = await acme.mandate(owner);
  const before = await collectionsOf(database, mandateId);
  // By day in Italy, and after the hour at which the timer asks for it: whoever comes second finds it done.
  await acme.moveClock(`${nextDepositRequestDate ?? ""}T09:00:00.000Z`, 0);
  const { runId } = await trigger(mandateId);
  const isOver = async (): Promise<boolean> => {
    const found = await clientOf(stack, "acme").call(getFlowRunRoute, { params: { runId } });
    return found.ok && /^(Completed|Ignored)$/.test(found.value.status);
  };
  await expect.poll(isOver).toBe(true);
  await expect.poll(() => collectionsOf(database, mandateId)).toHaveLength(before.length + 1);
  const asked = await lastOf(owner);
  if (asked === undefined) throw new Error("nothing was asked of the bank");
  return asked;
};

const becomes = (owner: Owner, status: string) =>
  expect.poll(async () => (await lastOf(owner))?.status).toBe(status);

const bankTells = async (requestId: string, outcome: string): Promise<void> => {
  const sender = bus.createSender("bank-outcomes");
  const body = { requestId, outcome };
  await sender.sendMessages({ body, contentType: "application/json", subject: "BankOutcome" });
  await sender.close();
};

test("collections from the first to the end of the mandate: late, repeated, taken back, refused", async () => {
  const owner = await acme.openValidatedWallet();
  const first = (await balance(owner)) ?? 0;
  await acme.initialiseMandate(owner, 25);
  await acme.signMandate(owner);
  await acme.mandateBecomes(owner, "Active");

  // Silent: nothing fails, and the same is asked for again until the bank answers.
  await acme.bankSays(owner, "directDebit", "silent");
  const { requestId } = await collect(owner);
  const says = async () => (await instanceOf(stack, `deposit-${requestId}`))?.customStatus;
  await expect.poll(says).toContain("Requested, waiting for the bank");
  await acme.bankSays(owner, "directDebit", "accepted");
  const { lastDepositRequestedDate } = await acme.mandate(owner);
  await acme.moveClock(lastDepositRequestedDate ?? "", 0.01);
  await becomes(owner, "Booked");
  expect(await lastOf(owner)).toMatchObject({ requestId });
  await expect.poll(() => balance(owner)).toBe(first + 25);
  await expect
    .poll(async () => (await instanceOf(stack, `deposit-${requestId}`))?.runtimeStatus)
    .toBe("Completed");

  // Another trigger on the same day has nothing to do; a bank that repeats itself books nothing more.
  expect(await trigger((await acme.mandate(owner)).mandateId)).toMatchObject({ status: "Ignored" });
  await bankTells(requestId, "booked");

  // Taken back after it was booked: the wallet is where it was, and the mandate says so.
  await acme.bankSays(owner, "directDebit", "returned");
  await collect(owner);
  await becomes(owner, "Returned");
  await expect.poll(() => balance(owner)).toBe(first + 25);
  expect(await acme.mandate(owner)).toMatchObject({ lastError: "CollectionReturned: AC04" });

  // With two refusals after it that is three in a row: the mandate ends.
  await acme.bankSays(owner, "directDebit", "refused");
  await collect(owner);
  await becomes(owner, "Refused");
  await collect(owner);
  await acme.mandateBecomes(owner, "Disabled");
  expect(await balance(owner)).toBe(first + 25);

  // Weeks later the first one is taken back, too: the wallet owes nothing, and has nothing of it.
  await bankTells(requestId, "returned");
  await expect.poll(() => balance(owner)).toBe(first);
});
