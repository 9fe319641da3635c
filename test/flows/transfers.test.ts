/** Incoming transfers through the front door: each is in a wallet, or Received with a feedback that its partner reads. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  partnerConnectionString,
  readTopic,
  type TopicReader,
} from "../../bench/platform/topic-reader.js";
import {
  listBankNotificationsRoute,
  rejectBankNotificationRoute,
  type BankNotification,
} from "../../shared/contracts/accounting/bank-notifications.js";
import { getWalletBalanceRoute } from "../../shared/contracts/ledger/balance.js";
import { scriptBankRoute, sendBankNotificationRoute } from "../../shared/contracts/sandbox/bank.js";
import {
  closeWalletRoute,
  reactivateWalletRoute,
  suspendWalletRoute,
} from "../../shared/contracts/wallet/states.js";
import { updateWalletAttributesRoute } from "../../shared/contracts/wallet/wallets.js";
import type { Client } from "../../shared/http/client.js";
import { clientOf } from "../support/platform/api.js";
import { instanceOf, partnerAt, type Owner, type Partner } from "../support/platform/partner.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";

let stack: TestStack;
let acme: Partner;
let calls: Client;
let platform: Client;
let topic: TopicReader;

beforeAll(async () => {
  stack = await startTestStack();
  acme = partnerAt(stack, "acme");
  calls = clientOf(stack, "acme");
  platform = clientOf(stack, "platform");
  topic = readTopic(partnerConnectionString(stack.brokerConnectionString, "acme"), "acme");
});
afterAll(async () => {
  await topic.stop();
  await stack.stop();
});

const nobodys = "IT60X0542811101000000123456";
const patience = { interval: 50 };

/** The notifications from the customer's account, the oldest first. */
const transfersOf = async (
  { person }: Pick<Owner, "person">,
  partner = calls,
): Promise<BankNotification[]> => {
  const listed = await partner.call(listBankNotificationsRoute, { query: { pageSize: "200" } });
  if (!listed.ok) throw new Error(JSON.stringify(listed.error));
  return listed.value.items.filter(({ debtorIban }) => debtorIban === person.iban);
};

const transfersBecome = async (
  owner: Owner,
  expected: readonly (readonly [status: string, feedback: RegExp])[],
): Promise<void> => {
  await expect
    .poll(async () => {
      const found = await transfersOf(owner);
      return found.map(({ status, feedback }, place) => [
        status,
        expected[place]?.[1].test(feedback ?? "none"),
      ]);
    }, patience)
    .toEqual(expected.map(([status]) => [status, true]));
};

const balanceOf = async ({ walletId }: Owner): Promise<number> => {
  const found = await calls.call(getWalletBalanceRoute, { params: { walletId } });
  return found.ok ? found.value.availableBalance : Number.NaN;
};

const suspend = ({ walletId }: Owner) => calls.call(suspendWalletRoute, { params: { walletId } });
const reactivate = ({ walletId }: Owner) =>
  calls.call(reactivateWalletRoute, { params: { walletId } });

/** What the topic told of a wallet under this name, once it has: each event once, however often it was sent. */
const toldOf = async ({ walletId }: Owner, name: string): Promise<unknown[]> => {
  const found = () =>
    new Map(
      topic.events
        .filter((event) => event.walletId === walletId && event.name === name)
        .map(({ id, body }) => [id, JSON.parse(body) as unknown]),
    );
  await expect.poll(() => found().size, patience).toBeGreaterThan(0);
  return [...found().values()];
};

describe("a transfer that fits but for what may change", () => {
  test("finds the wallet suspended, and validates once that is reactivated", async () => {
    const owner = await acme.openWallet();
    const instructions = await acme.setIban(owner);
    await suspend(owner);
    await acme.pay(owner, instructions);
    await transfersBecome(owner, [["Received", /^Wallet: .*Suspended.*would fit/]]);
    await acme.stepBecomes(owner, "ibanValidation", "Waiting", /Wallet: /);
    await reactivate(owner);
    await acme.stepBecomes(owner, "ibanValidation", "Completed");
    await transfersBecome(owner, [["Consumed", /^none$/]]);
    expect(await toldOf(owner, "IbanValidated")).toMatchObject([
      { iban: owner.person.iban, isIbanValidated: true },
    ]);
    expect(await toldOf(owner, "BankNotificationReceived")).toMatchObject([
      { partnerKey: "acme", status: "Received" },
    ]);
  });

  test("bears another name, and validates once the holder's is corrected", async () => {
    const owner = await acme.openWallet();
    const holder = owner.person.owner;
    // The same tax id: only the first consonants are in it.
    const corrected = `${holder.lastName}ni`;
    const debtorName = `${corrected} ${holder.firstName}`;
    await acme.pay(owner, await acme.setIban(owner), { debtorName });
    await transfersBecome(owner, [["Received", /^DebtorName: .*would fit/]]);
    const updated = await calls.call(updateWalletAttributesRoute, {
      params: { walletId: owner.walletId },
      body: {
        firstName: holder.firstName,
        lastName: corrected,
        phoneNumber: holder.phoneNumber,
      },
    });
    expect(updated).toMatchObject({ ok: true });
    await acme.stepBecomes(owner, "ibanValidation", "Completed");
  });
});

test("of five transfers at once one validates, and the others are deposits", async () => {
  const owner = await acme.openWallet();
  const instructions = await acme.setIban(owner);
  await Promise.all(Array.from({ length: 5 }, () => acme.pay(owner, instructions)));
  await acme.stepBecomes(owner, "ibanValidation", "Completed");
  await expect
    .poll(async () => {
      const found = await transfersOf(owner);
      return found.map(({ status, feedback }) => `${status} ${feedback ?? ""}`).toSorted();
    }, patience)
    .toEqual(Array<unknown>(5).fill("Consumed "));
  expect(await balanceOf(owner)).toBe(5 * instructions.transferAmount);
});

test("more than the amount validates, and all of it is in the wallet", async () => {
  const owner = await acme.openWallet();
  await acme.pay(owner, await acme.setIban(owner), { amount: 250.55 });
  await acme.stepBecomes(owner, "ibanValidation", "Completed");
  expect(await balanceOf(owner)).toBe(250.55);
});

test("a transfer before the IBAN is set waits with a feedback, and the one with the code validates", async () => {
  const owner = await acme.openWallet();
  const elsewhere = await acme.setIban(await acme.openWallet());
  await acme.pay(owner, { ...elsewhere, ibanValidationCode: "for my wallet" });
  await transfersBecome(owner, [["Received", /^Code: .*no open IBAN validation/]]);
  await acme.pay(owner, await acme.setIban(owner));
  await acme.stepBecomes(owner, "ibanValidation", "Completed");
  await transfersBecome(owner, [
    ["Received", /^Code: /],
    ["Consumed", /^none$/],
  ]);
});

test("a transfer to an account that is nobody's validates nothing, and platform alone sees it", async () => {
  const owner = await acme.openWallet();
  const { ibanValidationCode: reason, transferAmount: amount } = await acme.setIban(owner);
  const { firstName, lastName } = owner.person.owner;
  const sent = await platform.call(sendBankNotificationRoute, {
    body: {
      ...{ type: "IncomingSctInstant", debtorName: `${firstName} ${lastName}`, amount, reason },
      ...{ debtorIban: owner.person.iban, creditorIban: nobodys },
    },
  });
  expect(sent).toMatchObject({ ok: true });
  await expect
    .poll(() => transfersOf(owner, platform), patience)
    .toMatchObject([
      {
        ...{ partnerKey: "platform", status: "Received", walletId: null, creditorIban: nobodys },
        feedback: expect.stringMatching(/^Account: /) as string,
      },
    ]);
  expect(await transfersOf(owner)).toEqual([]);
  expect(await acme.step(owner, "ibanValidation")).toMatchObject({ status: "Waiting" });
});

describe("money goes back", () => {
  const byAmount = async (owner: Owner) =>
    Object.fromEntries(
      (await transfersOf(owner)).map(({ amount, status, feedback }) => [
        amount,
        status === "Received" ? feedback?.split(";")[0] : status,
      ]),
    );
  const Told = z.object({ amount: z.number(), walletId: z.null(), operationId: z.null() });
  const sentBack = (): number[] => {
    const told = topic.events.filter(({ name }) => name === "WireTransferCompleted");
    const amounts = told.map(({ body }) => Told.parse(JSON.parse(body)).amount);
    return [...new Set(amounts)].toSorted((one, other) => one - other);
  };

  test("that a person rejects, whatever the bank says at first", async () => {
    const owner = await acme.openWallet();
    const instructions = { ...(await acme.setIban(owner)), ibanValidationCode: "savings" };
    for (const amount of [31, 32.98, 33.99]) await acme.pay(owner, instructions, { amount });
    await transfersBecome(owner, Array(3).fill(["Received", /^Code: /]));
    for (const { bankNotificationId } of await transfersOf(owner)) {
      const rejected = await calls.call(rejectBankNotificationRoute, {
        params: { bankNotificationId },
      });
      expect(rejected).toMatchObject({ ok: true, value: { status: "RejectionRequested" } });
    }
    await expect
      .poll(() => byAmount(owner), patience)
      .toEqual({ 31: "Rejected", 32.98: "RejectionRequested", 33.99: "ReturnRefused: MS03" });
    const { iban } = owner.person;
    await calls.call(scriptBankRoute, { body: { kind: "return", iban, outcome: "accepted" } });
    await acme.moveClock((await acme.onboarding(owner)).startedAt, 0.01);
    await expect.poll(() => byAmount(owner), patience).toMatchObject({ 32.98: "Rejected" });
    await expect.poll(sentBack, patience).toEqual([31, 32.98]);
  });

  test("that waits for a wallet which closes", async () => {
    const owner = await acme.openWallet();
    const instructions = await acme.setIban(owner);
    await acme.pay(owner, instructions);
    await acme.stepBecomes(owner, "ibanValidation", "Completed");
    await suspend(owner);
    await acme.pay(owner, { ...instructions, ibanValidationCode: "savings" }, { amount: 44 });
    const waits = "Wallet: the wallet is Suspended, so nothing can be credited to it";
    await expect.poll(() => byAmount(owner), patience).toMatchObject({ 44: waits });
    await calls.call(closeWalletRoute, { params: { walletId: owner.walletId } });
    await expect.poll(() => byAmount(owner), patience).toMatchObject({ 44: "Rejected" });
  });
});

test("the list is filtered by type, status and dates, and pages in order of creation", async () => {
  const all = await calls.call(listBankNotificationsRoute, {});
  if (!all.ok) throw new Error(JSON.stringify(all.error));
  const { items, totalCount } = all.value;
  expect(items.length).toBe(totalCount);
  expect(items.map(({ creationDate }) => creationDate)).toEqual(
    items.map(({ creationDate }) => creationDate).toSorted(),
  );
  const idsOf = async (query: Readonly<Record<string, string>>) => {
    const found = await calls.call(listBankNotificationsRoute, { query });
    return found.ok
      ? [found.value.totalCount, found.value.items.map((item) => item.bankNotificationId)]
      : found.error;
  };
  const ids = (fits: (item: BankNotification) => boolean) =>
    items.filter(fits).map((item) => item.bankNotificationId);
  for (const status of ["Received", "Consumed", "Rejected"]) {
    const fitting = ids((item) => item.status === status);
    expect(await idsOf({ status })).toEqual([fitting.length, fitting]);
  }
  expect(await idsOf({ type: "IncomingSdd" })).toEqual([0, []]);
  expect(await idsOf({ pageSize: "2", pageNumber: "1" })).toEqual([
    totalCount,
    ids(() => true).slice(2, 4),
  ]);
  const from = items[3]?.creationDate ?? "";
  const later = ids(({ creationDate }) => creationDate >= from);
  expect(await idsOf({ fromDate: from })).toEqual([later.length, later]);
});

test("a transfer after the thirty days, or never corrected within them, is told so", async () => {
  const [late, wrong] = [await acme.openWallet(), await acme.openWallet()];
  const instructions = await acme.setIban(late);
  await acme.pay(wrong, await acme.setIban(wrong), { debtorName: "Somebody Else" });
  await transfersBecome(wrong, [["Received", /^DebtorName: /]]);
  await expect.poll(() => instanceOf(stack, `iban-${late.walletId}-1`)).not.toBeNull();
  const { startedAt } = await acme.onboarding(wrong);
  await acme.moveClock(startedAt, 30.1);
  for (const owner of [late, wrong])
    await acme.stepBecomes(owner, "ibanValidation", "Failed", /cleared/);
  await acme.pay(late, instructions);
  await transfersBecome(late, [["Received", /^Code: .*has ended, as no fitting transfer came/]]);
  await transfersBecome(wrong, [["Received", /^Code: .*has ended.*it did not fit: DebtorName: /]]);
  expect(await toldOf(wrong, "IbanValidationFailed")).toMatchObject([
    { iban: wrong.person.iban, feedback: expect.stringContaining("DebtorName") as string },
  ]);
});
