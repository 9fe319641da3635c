/** Settlement on a real database: what is repeated, what comes late, what happens at the same moment. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { BankOutcomeMessage } from "../../../shared/contracts/platform/bank-messages.js";
import { recordOutcome } from "../../../shared/database/bank/requests.js";
import { operationCommands } from "../../../shared/database/operations/commands.js";
import {
  advanceSettlement,
  findOperation,
  followHarvesting,
  settleLateOutcome,
} from "../../../shared/database/settlement/operations.js";
import { findRun, requestRun, workRun } from "../../../shared/database/settlement/runs.js";
import { termsOf, type SettlementTerms } from "../../../shared/database/settlement/terms.js";
import {
  accountCents,
  confirmOperation,
  eventsOf,
  timelineOf,
} from "../../support/settlement/confirmed-operations.js";
import { openStore } from "../../support/stores/store-fixtures.js";
import {
  openValidatedWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let settled: WalletTest;
let terms: SettlementTerms;
let walletId: string;
beforeAll(async () => {
  settled = await openWalletTest();
  terms = await termsOf(settled.database, "acme", { silenceSeconds: 10, collectionAccount: null });
  ({ walletId } = await openValidatedWallet(settled.database));
});
afterAll(() => settled.end());

const advance = (operationId: string) => advanceSettlement(settled.database, operationId, terms);

const withdraw = async (): Promise<string> => {
  const operationId = await confirmOperation(settled.database, {
    ...{ walletId, type: "SctWithdrawal", cents: 20_00n, feesCents: 50n },
  });
  await advance(operationId);
  return operationId;
};

const requestOf = async (operationId: string, kind: string): Promise<string> => {
  const found = await settled.database.row(
    z.object({ requestId: z.string() }),
    `select request_id as "requestId" from borsello.bank_request
     where operation_id = $1 and kind = $2 order by attempt desc limit 1`,
    [operationId, kind],
  );
  if (found === undefined) throw new Error(`no ${kind} was asked for`);
  return found.requestId;
};

/** As the queue's handler takes it: recorded, then what came late is settled. */
const tell = async (
  requestId: string,
  outcome: BankOutcomeMessage["outcome"],
  bookingDate = "2026-01-15",
): Promise<boolean> => {
  await recordOutcome(settled.database, {
    ...{ requestId, outcome, transactionReference: "BANK-1" },
    reasonCode: outcome === "refused" || outcome === "returned" ? "AC04" : null,
    bookingDate: outcome === "booked" ? bookingDate : null,
  });
  return settleLateOutcome(settled.database, requestId);
};

/** A withdrawal whose transfer is done and whose payment the bank was asked for. */
const withdrawUntilPayment = async (): Promise<[operationId: string, paymentId: string]> => {
  const operationId = await withdraw();
  const transferId = await requestOf(operationId, "transfer");
  await tell(transferId, "accepted");
  await tell(transferId, "booked");
  await advance(operationId);
  return [operationId, await requestOf(operationId, "payment")];
};

const statusOf = async (operationId: string): Promise<string | undefined> =>
  (await findOperation(settled.database, "acme", operationId))?.status;

const pass = async (seconds: number): Promise<void> => {
  await settled.database.execute(
    "update borsello.sandbox_clock set offset_ms = offset_ms + $1::bigint * 1000",
    [seconds],
  );
};

const transit = () => accountCents(settled.database, "Transit", "outgoing");
const bank = () => accountCents(settled.database, "Bank", "safeguarding");

const returns = async (operationId: string): Promise<number> =>
  (
    await settled.database.rows(
      z.object({}),
      "select from borsello.operation where metadata ->> 'returnOf' = $1",
      [operationId],
    )
  ).length;

describe("an outcome", () => {
  test("that comes twice, and each look that is taken twice, changes nothing more", async () => {
    const [operationId, paymentId] = await withdrawUntilPayment();
    for (const outcome of ["accepted", "booked", "accepted", "booked", "booked"] as const) {
      await tell(paymentId, outcome);
      await Promise.all([advance(operationId), advance(operationId), advance(operationId)]);
    }
    expect(await statusOf(operationId)).toBe("Completed");
    const steps = await timelineOf(settled.database, operationId);
    expect(new Set(steps).size).toBe(steps.length);
    const events = await eventsOf(settled.database, operationId);
    expect(events.map(({ subject }) => subject)).toEqual([
      "WireTransferCompleted",
      "OperationCompleted",
      "TransactionCompleted",
    ]);
  });

  test("booked for a later day completes the payment on that day", async () => {
    const [operationId, paymentId] = await withdrawUntilPayment();
    await tell(paymentId, "booked", "2036-06-01");
    expect(await advance(operationId)).toMatchObject({
      status: "OutgoingPaymentConfirmed",
      dueAt: "2036-05-31T22:00:00.000Z",
    });
  });

  test.each([
    ["the booking", ["accepted", "returned", "returned", "booked"]],
    ["anything else", ["returned", "booked", "accepted"]],
  ] as const)(
    "returned before %s was heard of is a payment that came back, once",
    async (_, told) => {
      const before = { transit: await transit(), bank: await bank() };
      const [operationId, paymentId] = await withdrawUntilPayment();
      for (const outcome of told) {
        await tell(paymentId, outcome);
        await advance(operationId);
      }
      expect(await statusOf(operationId)).toBe("Completed");
      expect(await returns(operationId)).toBe(1);
      expect(await transit()).toBe(before.transit);
      // 20.50 came in for the withdrawal's funds; the payment went out and came back.
      expect(await bank()).toBe(before.bank - 20_50n);
    },
  );

  test("booked after the platform gave the money back alarms, and stands in the books", async () => {
    const before = { transit: await transit(), bank: await bank() };
    const [operationId, paymentId] = await withdrawUntilPayment();
    for (let attempt = 0; attempt < 8; attempt += 1) {
      await pass(36_100);
      await advance(operationId);
      await pass(36_100);
      await advance(operationId);
    }
    expect(await statusOf(operationId)).toBe("OutgoingPaymentRejected");
    expect(await transit()).toBe(before.transit);
    expect(await tell(paymentId, "booked")).toBe(true);
    expect(await tell(paymentId, "booked")).toBe(true);
    expect(await statusOf(operationId)).toBe("OutgoingPaymentRejected");
    // The bank has paid 20.00 that nobody owes it for: the books show both.
    expect(await transit()).toBe(before.transit - 20_00n);
    expect(await bank()).toBe(before.bank - 20_50n + 20_00n);
  });
});

test("a payment that was accepted is asked about for ever, never rejected by silence", async () => {
  const [operationId, paymentId] = await withdrawUntilPayment();
  await tell(paymentId, "accepted");
  for (let round = 0; round < 12; round += 1) {
    await advance(operationId);
    await pass(36_100);
  }
  const seen = await advance(operationId);
  expect(seen.status).toMatch(/^OutgoingPaymentConfirm(Requested|Unaccomplished)$/);
  expect(await requestOf(operationId, "payment")).toBe(paymentId);
  await tell(paymentId, "booked");
  expect((await advance(operationId)).status).toBe("Completed");
});

describe("at the same moment", () => {
  const payments = async (count: number): Promise<string[]> => {
    const { storeId } = await openStore(settled.database);
    const made: string[] = [];
    for (let place = 0; place < count; place += 1)
      made.push(
        await confirmOperation(settled.database, {
          ...{ walletId, type: "Payment", cents: 1_00n, feesCents: 10n, storeId },
        }),
      );
    return made;
  };
  const run = async (): Promise<string> =>
    (
      await requestRun(settled.database, {
        ...{ partnerKey: "acme", flow: "Harvestings", actor: "test", type: "Payment" },
        ...{ subjectId: null, upTo: "now", isScheduled: false, isIgnored: false },
      })
    )?.runId ?? "";
  const workOff = async (runId: string): Promise<void> => {
    while (!(await workRun(settled.database, runId, terms)).isLast);
  };
  const Sum = z.object({ harvested: z.bigint(), members: z.bigint(), status: z.string() });

  test("an operation is terminated or harvested, and the harvesting's amount says which", async () => {
    const members = await payments(40);
    const commands = operationCommands(settled.database);
    const terminate = (operationId: string) =>
      commands.run({
        ...{ kind: "terminate", partner_key: "acme", actor: "acme-client" },
        ...{ wallet_id: walletId, type: "Payment", operation_id: operationId },
      });
    const runs = await Promise.all([run(), run()]);
    const [terminated] = await Promise.all([
      Promise.all(members.filter((_, place) => place % 2 === 0).map(terminate)),
      ...runs.map(workOff),
    ]);
    for (const runId of runs)
      expect(await findRun(settled.database, "acme", runId)).toMatchObject({ status: "Completed" });
    await workOff(await run());
    const statuses = await Promise.all(members.map(statusOf));
    const ended = statuses.filter((status) => status === "Terminated").length;
    expect(terminated.filter(({ ok }) => ok)).toHaveLength(ended);
    expect(statuses.filter((status) => status === "TransferInitializeRequested")).toHaveLength(
      members.length - ended,
    );
    const sums = await settled.database.rows(
      Sum,
      `select h.amount_cents as harvested, sum(m.amount_cents)::bigint as members, h.status
       from borsello.operation as m join borsello.operation as h on h.operation_id = m.harvesting_id
       where m.operation_id = any($1::uuid[]) group by h.operation_id`,
      [members],
    );
    for (const { harvested, members: sum, status } of sums)
      expect([harvested, status]).toEqual([sum, "TransferInitializeRequested"]);
  });

  test("members are taken along by several at once, each fee and event once", async () => {
    const members = await payments(30);
    await workOff(await run());
    const [first = ""] = members;
    const harvestingId = (await findOperation(settled.database, "acme", first))?.harvestingId ?? "";
    const fees = await accountCents(settled.database, "Fees", "platform");
    const transferId = await requestOf(harvestingId, "transfer");
    await tell(transferId, "booked");
    await advance(harvestingId);
    const follow = async (): Promise<number> => {
      let moved = 0;
      for (let page = 0; page < 20; page += 1)
        moved += await followHarvesting(settled.database, harvestingId, 7);
      return moved;
    };
    const moved = await Promise.all([follow(), follow(), follow()]);
    expect(moved.reduce((sum, count) => sum + count)).toBe(30);
    expect((await advance(harvestingId)).status).toBe("Completed");
    expect(await accountCents(settled.database, "Fees", "platform")).toBe(fees + 300n);
    for (const member of members)
      expect((await eventsOf(settled.database, member)).map(({ subject }) => subject)).toEqual([
        "OperationCompleted",
        "TransactionCompleted",
      ]);
  });
});
