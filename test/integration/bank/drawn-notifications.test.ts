/** What notifications hold that failed, that name no account, or that a person decides about as the bank speaks. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { approveNotification } from "../../../shared/database/bank/notification-decisions.js";
import { failNotification } from "../../../shared/database/bank/notifications.js";
import { settleLateOutcome } from "../../../shared/database/settlement/operations.js";
import { reactivateWallet, suspendWallet } from "../../../shared/database/wallet/states.js";
import { confirmOperation } from "../../support/settlement/confirmed-operations.js";
import { receive, sctFor, writeWaitingWallet } from "../../support/wallet/bank-fixtures.js";
import { deskOf } from "../../support/wallet/collection-desk.js";
import { moveToBankDay, type Collected } from "../../support/wallet/collections.js";
import {
  openNotificationTest,
  terms,
  type NotificationTest,
} from "../../support/wallet/notification-test.js";
import { acme, made } from "../../support/wallet/wallet-fixtures.js";

let bank: NotificationTest;
beforeAll(async () => {
  bank = await openNotificationTest();
  await moveToBankDay(bank.database);
});
afterAll(() => bank.end());
const desk = deskOf(() => bank.database);

/** The bank tells of a collection's money before it says that it is booked. */
const toldEarly = async (requestId: string, amount = 100): Promise<string> => {
  const message = sctFor(await writeWaitingWallet(bank.database), {
    ...{ type: "IncomingSdd", amount, reason: requestId, transactionReference: randomUUID() },
  });
  return (await receive(bank.database, message)).bankNotificationId;
};
const fail = async (id: string, retrySeconds: readonly number[]): Promise<string> => {
  await failNotification(bank.database, id, { ...terms, retrySeconds });
  return bank.statusOf(id);
};
const suspend = ({ walletId }: Collected) => suspendWallet(bank.database, acme, walletId);

test.each([
  ["Accepted", [0, 5]],
  ["Failed", [0]],
])("a collection is credited from its notification that is %s", async (status, retrySeconds) => {
  const it = await desk.opened();
  const requestId = await desk.collected(it);
  const id = await toldEarly(requestId);
  expect(await fail(id, retrySeconds)).toBe(status);
  const bankBefore = await desk.bank();
  await desk.tells(requestId, "booked");
  expect(await desk.bank()).toBe(bankBefore);
  expect(await bank.statusOf(id)).toBe("Consumed");
  expect(await desk.balance(it)).toBe(100);
  await bank.booksAgree();
});

test("a collection for a suspended wallet is credited at reactivation from its notification that had failed", async () => {
  const it = await desk.opened();
  const requestId = await desk.collected(it);
  const id = await toldEarly(requestId);
  expect(await fail(id, [0])).toBe("Failed");
  made(await suspend(it));
  await desk.tells(requestId, "booked");
  made(await reactivateWallet(bank.database, acme, it.walletId));
  await bank.advance(id);
  expect(await bank.statusOf(id)).toBe("Consumed");
  expect(await desk.balance(it)).toBe(100);
  await bank.booksAgree();
});

test("a collection waits in suspense once, whatever other amount names it, too", async () => {
  const it = await desk.opened();
  const requestId = await desk.collected(it);
  const odd = sctFor(await writeWaitingWallet(bank.database), {
    ...{ type: "IncomingSdd", amount: 99, reason: requestId, transactionReference: randomUUID() },
  });
  await receive(bank.database, odd);
  const id = await toldEarly(requestId);
  const bankBefore = await desk.bank();
  made(await suspend(it));
  await desk.tells(requestId, "booked");
  expect(await desk.bank()).toBe(bankBefore);
  expect(await bank.rowOf(id)).toMatchObject({
    feedback: expect.stringMatching(/^Wallet: /) as string,
  });
});

test("what is given to another wallet while the debtor's bank takes it back is taken back from there", async () => {
  const it = await desk.opened();
  const other = await desk.opened();
  const requestId = await desk.collected(it);
  made(await suspend(it));
  await desk.tells(requestId, "booked");
  const [held] = await desk.heldFor(requestId);
  const id = held?.bankNotificationId ?? "";
  let told: Promise<void> = Promise.resolve();
  await bank.database.enclosed(async (enclosed) => {
    made(await approveNotification(enclosed, acme, id, other.walletId));
    told = desk.tells(requestId, "returned");
    // Until the bank's word waits for the person's.
    for (;;) {
      const waiting = await bank.database.rows(
        z.object({}),
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%record_outcome%'`,
      );
      if (waiting.length > 0) break;
    }
  });
  await told;
  expect(await desk.balance(other)).toBe(0);
  await bank.booksAgree();
});

test("what names no account to go back to is not sent back, and can be approved", async () => {
  const wallet = await bank.validated();
  const { id } = (await bank.database.row(
    z.object({ id: z.string() }),
    `select borsello.hold_in_suspense('acme', $1, 'IncomingSctStandard', 700, 'Maria Rossi', '',
       'undone', $2, 'Wallet: undone', 'Return', null) as id`,
    [wallet.walletId, randomUUID()],
  )) ?? { id: "" };
  expect(await bank.reject(id)).toMatchObject({
    ...{ ok: false, code: "BankNotificationStatusInvalid" },
    properties: { debtorIban: expect.stringMatching(/approve it for a wallet/) as string },
  });
  made(await bank.approve(id, wallet));
  expect(await bank.balanceOf(wallet)).toBe(700n);
});

test("a payment that was given up, booked all the same and sent back is drawn from the notification of that", async () => {
  const { walletId } = await desk.opened();
  const operationId = await confirmOperation(bank.database, {
    ...{ walletId, type: "SctWithdrawal", cents: 20_00n, feesCents: 50n },
  });
  const requestId = randomUUID();
  await bank.execute(
    `select borsello.request_bank($1, 'payment', 'acme', $2, null, '{"amount": 20}', 'x', 'y')`,
    [requestId, walletId],
  );
  await bank.execute("update borsello.bank_request set operation_id = $2 where request_id = $1", [
    requestId,
    operationId,
  ]);
  await bank.execute(
    "update borsello.operation set status = 'OutgoingPaymentRejected' where operation_id = $1",
    [operationId],
  );
  const before = await desk.bank();
  await desk.tells(requestId, "booked");
  await settleLateOutcome(bank.database, requestId);
  const id = await toldEarly(requestId, 20);
  await desk.tells(requestId, "returned");
  await settleLateOutcome(bank.database, requestId);
  await settleLateOutcome(bank.database, requestId);
  expect(await desk.bank()).toBe(before);
  expect(await bank.statusOf(id)).toBe("Consumed");
  await bank.booksAgree();
});

test("and the books explain every notification of these", async () => {
  expect(await bank.misheld()).toEqual([]);
});
