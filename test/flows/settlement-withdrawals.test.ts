/** Withdrawals from their confirmation to each of their ends, as the sandbox bank answers. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { getProofRoute } from "../../shared/contracts/accounting/proof.js";
import { decidePaymentRoute } from "../../shared/contracts/sandbox/bank.js";
import {
  accountCents,
  confirmOperation,
  eventsOf,
  timelineOf,
} from "../support/settlement/confirmed-operations.js";
import { valueOf } from "../support/platform/api.js";
import { startSettlement, type Settlement } from "../support/settlement/settlement-stack.js";

let bank: Settlement;
beforeAll(async () => {
  bank = await startSettlement();
});
afterAll(async () => {
  await bank.stop();
});

const tenHours = 36_000;
const transit = () => accountCents(bank.database, "Transit", "outgoing");
const safeguarded = () => accountCents(bank.database, "Bank", "safeguarding");

interface Withdrawal {
  readonly operationId: string;
  readonly walletId: string;
  readonly iban: string;
}

/** Confirmed, with a fee of 0.50; the wallet has nothing else. */
const withdraw = async (cents: bigint): Promise<Withdrawal> => {
  const wallet = await bank.openWallet();
  const { walletId } = wallet;
  const operationId = await confirmOperation(bank.database, {
    ...{ walletId, type: "SctWithdrawal", cents, feesCents: 50n },
  });
  return { ...wallet, operationId };
};

const subjects = async (operationId: string): Promise<string[]> =>
  (await eventsOf(bank.database, operationId)).map(({ subject }) => subject);

const Asked = z.object({ kind: z.string(), attempt: z.int(), inquiries: z.int() });

/** What the bank was asked for, in its order. */
const asked = (operationId: string) =>
  bank.database.rows(
    Asked,
    `select kind, attempt, inquiries from borsello.bank_request
     where operation_id = $1 order by kind desc, attempt`,
    [operationId],
  );

const wholeWay = [
  "Confirmed TransferInitializeRequested",
  "TransferInitializeRequested TransferInitialized",
  "TransferInitialized TransferConfirmRequested",
  "TransferConfirmRequested TransferConfirmed",
  "TransferConfirmed TransferCompleted",
  "TransferCompleted OutgoingPaymentInitializeRequested",
  "OutgoingPaymentInitializeRequested OutgoingPaymentInitialized",
  "OutgoingPaymentInitialized OutgoingPaymentConfirmRequested",
  "OutgoingPaymentConfirmRequested OutgoingPaymentConfirmed",
  "OutgoingPaymentConfirmed OutgoingPaymentCompleted",
  "OutgoingPaymentCompleted Completing",
  "Completing Completed",
];

describe("where the bank answers", () => {
  test("a withdrawal takes each state in turn, is told of and leaves nothing in transit", async () => {
    const before = { transit: await transit(), bank: await safeguarded() };
    const { operationId, walletId } = await withdraw(100_00n);
    expect(await transit()).toBe(before.transit + 100_00n);
    // The minute's timer may have taken it up first.
    expect(await bank.account()).toMatchObject({ status: "Completed", failures: 0 });
    await bank.becomes(operationId, "Completed");
    expect(await timelineOf(bank.database, operationId)).toEqual(wholeWay);
    expect(await subjects(operationId)).toEqual([
      "WireTransferCompleted",
      "OperationCompleted",
      "TransactionCompleted",
    ]);
    expect(await asked(operationId)).toEqual([
      { kind: "transfer", attempt: 1, inquiries: 0 },
      { kind: "payment", attempt: 1, inquiries: 0 },
    ]);
    // The deposit of 100.50 is at the bank, the withdrawal of 100 has left it.
    expect(await transit()).toBe(before.transit);
    expect(await safeguarded()).toBe(before.bank - 50n);
    expect(await bank.balance(walletId)).toBe(0);
    expect(await bank.operation(operationId)).toMatchObject({
      ...{ attempts: 0, feedback: null, reconciliationId: null },
      completionDate: expect.any(String) as string,
    });
    expect((await bank.account(operationId)).status).toBe("Ignored");
  });

  test("a refused one is given back with its fee, and told of as failed", async () => {
    const { operationId, walletId } = await withdraw(40_99n);
    await bank.account(operationId);
    await bank.becomes(operationId, "OutgoingPaymentRejected");
    expect(await bank.balance(walletId)).toBe(41.49);
    expect(await bank.operation(operationId)).toMatchObject({ feedback: "MS03" });
    const [failed, reversed, ...more] = await eventsOf(bank.database, operationId);
    expect(more).toEqual([]);
    expect(failed).toMatchObject({
      subject: "WireTransferFailed",
      body: { failureCode: "MS03", amount: 40.99, completionDate: null },
    });
    expect(reversed).toMatchObject({
      subject: "TransactionConfirmed",
      body: { transactionType: "Reversal", income: true, amount: 40.99 },
    });
  });

  test("one that comes back is credited anew, once, and stays completed", async () => {
    const { operationId, walletId, iban } = await withdraw(25_00n);
    await bank.script({ kind: "payment", iban, outcome: "returned" });
    await bank.account(operationId);
    await bank.becomes(operationId, "Completed");
    await expect.poll(() => bank.balance(walletId)).toBe(25);
    const credits = await bank.database.rows(
      z.object({ id: z.string(), type: z.string() }),
      `select operation_id as id, type from borsello.operation
       where metadata ->> 'returnOf' = $1`,
      [operationId],
    );
    expect(credits).toMatchObject([{ type: "SctStandardDeposit" }]);
    const creditId = credits[0]?.id ?? "";
    expect((await eventsOf(bank.database, creditId)).at(-1)?.body).toMatchObject({
      ...{ transactionType: "Reversal", income: true, amount: 25 },
    });
    await bank.account();
    await bank.becomes(creditId, "Completed");
    expect(await bank.operation(operationId)).toMatchObject({ status: "Completed" });
  });
});

describe("where the bank is silent", () => {
  test("a transfer is asked about, not made again, and goes on with the answer", async () => {
    const { operationId } = await withdraw(30_00n);
    await bank.script({ kind: "transfer", iban: null, outcome: "silent" });
    await bank.account(operationId);
    await bank.becomes(operationId, "TransferInitializeRequested");
    await bank.pass(11);
    await bank.becomes(operationId, "TransferInitializeUnaccomplished");
    expect(await bank.operation(operationId)).toMatchObject({
      attempts: 1,
      feedback: "BankSilent",
    });
    await bank.script({ kind: "transfer", iban: null, outcome: "accepted" });
    await bank.passUntil(operationId, "Completed", 310);
    const [transfer, payment, ...more] = await asked(operationId);
    expect([transfer?.attempt, payment?.attempt, more]).toEqual([1, 1, []]);
    expect(transfer?.inquiries).toBeGreaterThan(0);
  });

  test("a transfer fails after eight attempts, and begins again when somebody asks", async () => {
    const { operationId } = await withdraw(31_00n);
    await bank.script({ kind: "transfer", iban: null, outcome: "silent" });
    await bank.account(operationId);
    await bank.passUntil(operationId, "TransferFailed", tenHours + 60);
    expect(await bank.operation(operationId)).toMatchObject({
      attempts: 8,
      feedback: "BankSilent",
    });
    await bank.script({ kind: "transfer", iban: null, outcome: "accepted" });
    expect(await bank.account(operationId)).toMatchObject({ status: "Completed", items: 1 });
    await bank.becomes(operationId, "Completed");
    expect(await asked(operationId)).toMatchObject([
      { kind: "transfer", attempt: 1, inquiries: 8 },
      { kind: "payment" },
    ]);
  });

  test("a payment that the bank never knew is rejected after eight attempts and given back", async () => {
    const { operationId, walletId } = await withdraw(12_98n);
    await bank.account(operationId);
    await bank.passUntil(operationId, "OutgoingPaymentRejected", tenHours + 60);
    expect(await bank.operation(operationId)).toMatchObject({
      attempts: 8,
      feedback: "BankSilent",
    });
    expect(await asked(operationId)).toMatchObject([
      { kind: "transfer" },
      { kind: "payment", attempt: 1, inquiries: 7 },
    ]);
    expect(await bank.balance(walletId)).toBe(13.48);
    expect(await subjects(operationId)).toEqual(["WireTransferFailed", "TransactionConfirmed"]);
  });

  test("somebody who stands for the bank times a payment out, and completes it later", async () => {
    const { operationId } = await withdraw(15_00n);
    const decide = async (verb: "complete" | "timeout") =>
      valueOf(await bank.acme.call(decidePaymentRoute, { params: { operationId, verb } }));
    await decide("timeout");
    await bank.account(operationId);
    await bank.becomes(operationId, "OutgoingPaymentInitializeRequested");
    await bank.pass(11);
    await bank.becomes(operationId, "OutgoingPaymentInitializeUnaccomplished");
    await decide("complete");
    await bank.becomes(operationId, "Completed");
    const again = { params: { operationId, verb: "reject" as const } };
    expect(await bank.acme.call(decidePaymentRoute, again)).toMatchObject({
      status: 400,
      error: { errorCode: "OperationStatusInvalid" },
    });
  });
});

describe("where a transfer is refused", () => {
  test("it is asked for anew under another id", async () => {
    const { operationId } = await withdraw(32_00n);
    await bank.script({ kind: "transfer", iban: null, outcome: "refused" });
    await bank.account(operationId);
    await bank.becomes(operationId, "TransferInitializeUnaccomplished");
    expect(await bank.operation(operationId)).toMatchObject({ attempts: 1, feedback: "MS03" });
    await bank.script({ kind: "transfer", iban: null, outcome: "accepted" });
    await bank.passUntil(operationId, "Completed", 310);
    const [first, second, ...more] = await asked(operationId);
    expect([first, second]).toMatchObject([
      { kind: "transfer", attempt: 1, inquiries: 0 },
      { kind: "transfer", attempt: 2, inquiries: 0 },
    ]);
    expect(more.at(-1)).toMatchObject({ kind: "payment", attempt: 1 });
  });
});

test("after all of this the books are proved", async () => {
  const proof = valueOf(await bank.acme.call(getProofRoute, {}));
  expect(proof).toMatchObject({ balanced: true, mismatches: [] });
  expect(proof.debits).toBeGreaterThan(0);
});
