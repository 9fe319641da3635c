/** A bank notification sent back, failed, tried by runs (contract 4.4), on a real database. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { notificationSweep } from "../../../functions/schedule/bank-notifications.js";
import { sweepFlowsOf } from "../../../functions/schedule/sweep.js";
import {
  dueNotificationTypes,
  notificationsUnderWay,
} from "../../../shared/database/bank/notification-flow.js";
import { failNotification } from "../../../shared/database/bank/notifications.js";
import { retryTransfers } from "../../../shared/database/bank/retries.js";
import { findRun, requestRun, workRun } from "../../../shared/database/settlement/runs.js";
import { noteStartedFlows } from "../../support/durable/started-flows.js";
import {
  receive,
  sctFor,
  silentLogger,
  writeWaitingWallet,
  type WaitingWallet,
} from "../../support/wallet/bank-fixtures.js";
import {
  nameless,
  openNotificationTest,
  terms,
  type NotificationTest,
} from "../../support/wallet/notification-test.js";
import { made } from "../../support/wallet/wallet-fixtures.js";

let bank: NotificationTest;
beforeAll(async () => {
  bank = await openNotificationTest();
});
afterAll(() => bank.end());

describe("what is rejected", () => {
  test("and booked by the bank is Rejected and told, once", async () => {
    const id = await bank.unmatched();
    made(await bank.reject(id));
    await bank.tellReturn(id, "accepted", "booked", "booked");
    expect(await bank.rowOf(id)).toMatchObject({ status: "Rejected", consumed: 4_000n });
    expect(await bank.eventsOf(id, "WireTransferCompleted")).toMatchObject([
      { body: { operationId: null, walletId: null, partnerKey: "acme", amount: 40 } },
    ]);
    await bank.booksAgree();
  });

  test("and refused is Received, told so, and rejected anew by another request", async () => {
    const id = await bank.unmatched();
    made(await bank.reject(id));
    await bank.tellReturn(id, "refused", "refused");
    expect(await bank.rowOf(id)).toMatchObject({
      ...{
        status: "Received",
        feedback: expect.stringMatching(/^ReturnRefused: AC04; /) as string,
      },
    });
    expect(await bank.eventsOf(id, "BankNotificationReceived")).toHaveLength(2);
    made(await bank.reject(id));
    const asked = await bank.returnsOf(id);
    expect(new Set(asked.map(({ requestId }) => requestId)).size).toBe(2);
    await bank.tellReturn(id, "booked");
    expect(await bank.statusOf(id)).toBe("Rejected");
    await bank.booksAgree();
  });

  test.each([
    ["in order", ["accepted", "booked", "returned"]],
    ["twice", ["booked", "returned", "returned"]],
    ["overtaking its booking", ["returned", "booked"]],
  ] as const)("and comes back, %s, is Received with its money in suspense", async (_, outcomes) => {
    const id = await bank.unmatched();
    made(await bank.reject(id));
    await bank.tellReturn(id, ...outcomes);
    expect(await bank.rowOf(id)).toMatchObject({ status: "Received", consumed: 0n });
    await bank.booksAgree();
    const wallet = await bank.validated();
    made(await bank.approve(id, wallet));
    expect(await bank.balanceOf(wallet)).toBe(4_000n);
    await bank.booksAgree();
  });

  test.each([
    ["before", true],
    ["after", false],
  ])(
    "whose bounce arrives as a notification %s the bank's word, is there once",
    async (_, isFirst) => {
      const id = await bank.unmatched();
      made(await bank.reject(id));
      await bank.tellReturn(id, "booked");
      const requestId = (await bank.returnsOf(id))[0]?.requestId ?? "";
      const back = sctFor(await bank.validated(), {
        ...{ debtorIban: "IT99A9", amount: 40, reason: `RETURN ${requestId.replaceAll("-", "")}` },
      });
      let bounced = "";
      if (isFirst) {
        bounced = await bank.arrive(back);
        expect(await bank.rowOf(bounced)).toMatchObject({
          ...{ status: "Received", feedback: expect.stringMatching(/^Request: /) as string },
        });
      }
      await bank.tellReturn(id, "returned");
      if (!isFirst) bounced = await bank.arrive(back);
      expect(await bank.statusOf(bounced)).toBe("Consumed");
      expect(await bank.rowOf(id)).toMatchObject({ status: "Received", consumed: 0n });
      await bank.booksAgree();
      // Another one that names it is money that nobody knows of yet.
      const extra = await bank.arrive({ ...back, transactionReference: randomUUID() });
      expect(await bank.rowOf(extra)).toMatchObject({
        ...{
          status: "Received",
          feedback: expect.stringMatching(/^Request: .*a person/) as string,
        },
      });
      await bank.booksAgree();
    },
  );

  test("and unanswered is asked for again by the same id, each time after a longer silence", async () => {
    const id = await bank.unmatched();
    made(await bank.reject(id));
    const first = await bank.advance(id);
    expect(first.status).toBe("RejectionRequested");
    expect((await bank.advance(id)).dueAt).toBe(first.dueAt);
    await bank.pass(11);
    await bank.advance(id);
    await bank.advance(id);
    expect(await bank.returnsOf(id)).toMatchObject([{ inquiries: 1 }]);
    await bank.tellReturn(id, "booked");
    expect(await bank.advance(id)).toMatchObject({ status: "Rejected", dueAt: null });
  });
});

test("an error of the platform is tried again at its times, and leaves it Failed at last, rejectable", async () => {
  const wallet = await bank.validated();
  await bank.execute(`create function borsello.break_down() returns trigger language plpgsql as
    $$ begin raise exception 'broken for % here', new.wallet_id; end $$`);
  await bank.execute(`create trigger broken before insert on borsello.operation for each row
    when (new.wallet_id = '${wallet.walletId}') execute function borsello.break_down()`);
  const received = await receive(bank.database, sctFor(wallet, nameless));
  expect(received).toMatchObject({
    status: "Received",
    error: expect.stringContaining("broken") as string,
  });
  const id = received.bankNotificationId;
  await failNotification(bank.database, id, terms);
  expect(await bank.rowOf(id)).toMatchObject({ status: "Accepted", attempts: 1 });
  expect(await bank.advance(id)).toMatchObject({ status: "Accepted", isDue: false });
  for (let attempt = 2; attempt <= 8; attempt += 1) {
    await bank.pass(86_400);
    await bank.advance(id);
    expect((await bank.rowOf(id)).attempts).toBe(attempt);
  }
  const failed = await bank.rowOf(id);
  expect(failed).toMatchObject({ status: "Failed", consumed: 0n });
  expect(failed.feedback).not.toContain("broken");
  await bank.booksAgree();
  await bank.execute("drop trigger broken on borsello.operation");
  await bank.pass(86_400);
  expect(await bank.advance(id)).toMatchObject({ status: "Failed", dueAt: null });
  made(await bank.approve(id, wallet));
  await bank.booksAgree();
});

describe("a run", () => {
  const ask = (isScheduled: boolean, subjectId: string | null = null) =>
    requestRun(bank.database, {
      ...{ partnerKey: "acme", flow: "BankNotifications", type: "IncomingSctStandard" },
      ...{ actor: "somebody", subjectId, upTo: "now", isScheduled, isIgnored: false },
    });
  const runTerms = {
    ...terms,
    collectionAccount: null,
    safeguardingAccount: null,
    harvestedTypes: [],
  };
  const work = async (run: Awaited<ReturnType<typeof ask>>): Promise<void> => {
    while (!(await workRun(bank.database, run?.runId ?? "", runTerms)).isLast);
  };
  const told = async ({ walletId }: WaitingWallet) =>
    (await bank.eventsOf(walletId, "NotificationAdvanced")).length;

  test("of the timer and one of a trigger at a time hand what is due to its flow, which works once", async () => {
    const wallet = await bank.validated();
    await bank.become(wallet, "Suspended");
    const id = await bank.arrive(sctFor(wallet, nameless));
    await bank.become(wallet, "Active");
    await retryTransfers(bank.database, wallet.walletId);
    expect(await dueNotificationTypes(bank.database)).toContainEqual({
      ...{ partnerKey: "acme", type: "IncomingSctStandard" },
    });
    const before = await told(wallet);
    const runs = await Promise.all([ask(true), ask(true), ask(false)]);
    expect(runs.filter((run) => run !== undefined)).toHaveLength(2);
    await Promise.all(runs.filter((run) => run !== undefined).map(work));
    expect((await told(wallet)) - before).toBeGreaterThan(0);
    await Promise.all([bank.advance(id), bank.advance(id), bank.advance(id)]);
    expect(await bank.balanceOf(wallet)).toBe(4_000n);
    await bank.booksAgree();
  });

  test("of one has it matched anew with what has changed since; of one that is over is Ignored", async () => {
    const wallet = await writeWaitingWallet(bank.database);
    const id = await bank.arrive(sctFor(wallet, nameless));
    await bank.validate(wallet);
    await work(await ask(false, id));
    await bank.advance(id);
    expect(await bank.statusOf(id)).toBe("Consumed");
    const over = await ask(false, id);
    await work(over);
    expect(await findRun(bank.database, "acme", over?.runId ?? "")).toMatchObject({
      status: "Ignored",
      items: 0,
    });
  });
});

test("the sweep starts the flows of what waits for the bank, page by page, and of nothing else", async () => {
  const waiting = [await bank.unmatched(), await bank.unmatched()];
  const over = await bank.unmatched();
  for (const id of [...waiting, over]) made(await bank.reject(id));
  await bank.tellReturn(over, "booked");
  await bank.pass(180);
  const { client, instances } = noteStartedFlows();
  const means = { database: bank.database, logger: silentLogger };
  const started = await sweepFlowsOf(means, client, notificationSweep(means));
  expect(started).toEqual(expect.arrayContaining(waiting.map((id) => `notification-${id}`)));
  expect(started).not.toContain(`notification-${over}`);
  expect(new Set(started)).toEqual(instances);
  const [first = "", second = ""] = waiting;
  expect(await notificationsUnderWay(bank.database, first, 1)).toEqual([
    { bankNotificationId: second, partnerKey: "acme" },
  ]);
});

test("after all of this the books hold what the notifications say", async () => {
  expect(await bank.misheld()).toEqual([]);
});
