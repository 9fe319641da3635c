/** The bank by files: money leaves, arrives and comes back through a folder, and the statement fits the ledger. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import {
  getBankStatementRoute,
  listBankStatementsRoute,
} from "../../shared/contracts/accounting/bank-statements.js";
import { listBankNotificationsRoute } from "../../shared/contracts/accounting/bank-notifications.js";
import { bankDayAfter } from "../../shared/domain/bank/bank-days.js";
import { clientOf, valueOf } from "../support/platform/api.js";
import {
  notification,
  statement,
  statusReport,
  type Booking,
} from "../support/bank/bank-messages.js";
import { openFakeBank, type FakeBank } from "../support/bank/fake-bank.js";
import { confirmOperation } from "../support/settlement/confirmed-operations.js";
import {
  collect,
  collectionsOf,
  mandateNow,
  openDueMandate,
  today as dateOf,
} from "../support/wallet/collections.js";
import { startSettlement, type Settlement } from "../support/settlement/settlement-stack.js";

const collecting = "IT83X0999903200ACME00000001";
const safeguarding = "IT92Y0999903200ACME00000002";
const today = new Date().toISOString().slice(0, 10);

let bank: FakeBank;
let platform: Settlement;
beforeAll(async () => {
  bank = await openFakeBank();
  platform = await startSettlement({
    environment: { BANK_CHANNEL: "files", BANK_FILES: bank.folder },
  });
});
afterAll(async () => {
  await platform.stop();
  await bank.end();
});

/** Lets the timer that exchanges files come round until something is there. */
const exchangedUntil = async <Found>(look: () => Promise<Found | undefined>): Promise<Found> => {
  for (let times = 0; times < 100; times += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await platform.pass(15);
  }
  throw new Error("the files were exchanged a hundred times without it");
};

const isPutAway = async (where: "done" | "failed", name: string): Promise<string> =>
  exchangedUntil(async () => (await bank.list(where)).find((file) => file.endsWith(`-${name}`)));

/** Everything that was booked, for the statements. */
const booked: (Booking & { account: string })[] = [];

const book = async (name: string, account: string, booking: Booking): Promise<void> => {
  const dated = { ...booking, day: today };
  booked.push({ ...dated, account });
  await bank.put(name, notification({ id: name, iban: account, bookings: [dated] }));
};

test("a withdrawal is moved, then paid, by a file each, and completes as the bank books it", async () => {
  const { walletId, iban } = await platform.openWallet();
  const operationId = await confirmOperation(platform.database, {
    ...{ walletId, type: "SctWithdrawal", cents: 100_00n },
  });
  await platform.account();
  const moved = await exchangedUntil(() => bank.orderFor(collecting));
  expect(moved).toMatchObject({ amount: "100.00", file: { account: safeguarding } });
  const { endToEndId } = moved;
  await bank.put("s1.xml", statusReport({ messageId: moved.file.messageId, group: "ACCP" }));
  await platform.passUntil(operationId, "TransferConfirmRequested", 15);
  await book("b1.xml", safeguarding, {
    amount: "100.00",
    direction: "DBIT",
    endToEndId,
    reference: "B1",
  });
  const paid = await exchangedUntil(() => bank.orderFor(iban));
  expect(paid).toMatchObject({
    amount: "100.00",
    file: { account: collecting, message: "pain.001" },
  });
  const status = { endToEndId: paid.endToEndId, status: "ACCP" };
  await bank.put("s2.xml", statusReport({ messageId: paid.file.messageId, orders: [status] }));
  await book("b2.xml", collecting, {
    ...{ amount: "100.00", direction: "DBIT", endToEndId: paid.endToEndId, reference: "B2" },
  });
  await platform.passUntil(operationId, "Completed", 15);
  expect(await platform.balance(walletId)).toBe(0);
});

test("an order that the bank rejects is given back to the wallet", async () => {
  const { walletId, iban } = await platform.openWallet();
  const operationId = await confirmOperation(platform.database, {
    ...{ walletId, type: "SctWithdrawal", cents: 30_00n },
  });
  const before = (await bank.collect()).length;
  await platform.account();
  const moved = await exchangedUntil(async () => (await bank.collect())[before]?.orders[0]);
  await book("b3.xml", safeguarding, {
    ...{ amount: "30.00", direction: "DBIT", endToEndId: moved.endToEndId, reference: "B3" },
  });
  const paid = await exchangedUntil(() => bank.orderFor(iban));
  await bank.put(
    "s3.xml",
    statusReport({ messageId: paid.file.messageId, group: "RJCT", groupReason: "AC04" }),
  );
  await platform.passUntil(operationId, "OutgoingPaymentRejected", 15);
  expect(await platform.operation(operationId)).toMatchObject({ feedback: "AC04" });
  expect(await platform.balance(walletId)).toBe(30);
});

const notified = async (reason: string) => {
  const query = { pageSize: "200" };
  const { items } = valueOf(await platform.acme.call(listBankNotificationsRoute, { query }));
  return items.filter((item) => item.reason === reason);
};

test("a credit arrives once, though the bank reports it in two files", async () => {
  const credit: Booking = {
    ...{ amount: "12.34", direction: "CRDT", reference: "C1", debtorName: "Mario Rossi" },
    ...{ debtorIban: "IT60X0542811101000000123456", reason: "Arrives once" },
  };
  await book("c1.xml", collecting, credit);
  await isPutAway("done", "c1.xml");
  const bookings = [{ ...credit, day: today }];
  await bank.put("c2.xml", notification({ id: "again", iban: collecting, bookings }));
  await isPutAway("done", "c2.xml");
  await expect.poll(() => notified("Arrives once")).toHaveLength(1);
  expect(await notified("Arrives once")).toMatchObject([
    {
      ...{ type: "IncomingSctStandard", amount: 12.34, paymentGatewayReference: "C1" },
      ...{ debtorName: "Mario Rossi", creditorIban: collecting },
    },
  ]);
});

test("a transfer from a customer's validated account is credited", async () => {
  const { walletId, iban } = await platform.openWallet();
  const owner = await platform.database.row(
    z.object({ name: z.string() }),
    "select first_name || ' ' || last_name as name from borsello.wallet where wallet_id = $1",
    [walletId],
  );
  await book("d1.xml", collecting, {
    ...{ amount: "45.67", direction: "CRDT", reference: "D1", debtorName: owner?.name ?? "" },
    ...{ debtorIban: iban, reason: "Top up" },
  });
  await isPutAway("done", "d1.xml");
  await expect.poll(() => platform.balance(walletId)).toBe(45.67);
});

test("a collection is asked for by file, credited when it is booked, and taken back", async () => {
  // Collections are asked for on bank days.
  const date = await dateOf(platform.database);
  const wait = Date.parse(bankDayAfter(date, 0)) - Date.parse(date);
  if (wait > 0) await platform.pass(wait / 1_000);
  const due = await openDueMandate(platform.database);
  const requestId = await collect(platform.database, due);
  const { debtorIban, mandateUniqueReference } = await mandateNow(platform.database, due);
  const asked = await exchangedUntil(() => bank.orderFor(debtorIban));
  expect(asked).toMatchObject({
    ...{ amount: "100.00", endToEndId: requestId.replaceAll("-", "") },
    ...{ mandateId: mandateUniqueReference, file: { message: "pain.008", account: collecting } },
  });
  const { endToEndId } = asked;
  await book("e1.xml", collecting, {
    ...{ amount: "100.00", direction: "CRDT", family: "IDDT", endToEndId, reference: "E1" },
  });
  await isPutAway("done", "e1.xml");
  await expect.poll(() => platform.balance(due.walletId)).toBe(100);
  await book("e2.xml", collecting, {
    ...{ amount: "100.00", direction: "DBIT", endToEndId, reference: "E2", returnReason: "MD06" },
  });
  await isPutAway("done", "e2.xml");
  await expect.poll(() => platform.balance(due.walletId)).toBe(0);
  expect((await collectionsOf(platform.database, due.mandateId)).at(-1)?.status).toBe("Returned");
});

test("a file that cannot be read is put aside with the reason, and nothing of it counts", async () => {
  const bookings: Booking[] = [{ amount: "5.00", direction: "CRDT", reason: "Never arrives" }];
  const whole = notification({ id: "broken", iban: collecting, bookings });
  await bank.put("broken.xml", whole.slice(0, -50));
  const name = await isPutAway("failed", "broken.xml");
  expect(await bank.read("failed", `${name}.txt`)).toContain("Unclosed root tag");
  expect(await notified("Never arrives")).toEqual([]);
});

test("the statement fits the ledger but for what only one of them has", async () => {
  const own = booked.filter(({ account }) => account === collecting);
  const charge: Booking = { amount: "1.50", direction: "DBIT", day: today, reason: "Charges" };
  const lost = own.find(({ reference }) => reference === "D1");
  const bookings = [...own.filter((booking) => booking !== lost), charge];
  const cents = bookings.reduce(
    (sum, { amount, direction }) =>
      sum + BigInt(amount.replace(".", "")) * (direction === "CRDT" ? 1n : -1n),
    0n,
  );
  const closing = (Number(cents) / 100).toFixed(2);
  const days = [-1, 7].map((more) =>
    new Date(Date.parse(today) + more * 86_400_000).toISOString().slice(0, 10),
  ) as [string, string];
  const given = { id: "ST1", iban: collecting, opening: "0.00", closing, bookings, days };
  await bank.put("st1.xml", statement(given));
  await isPutAway("done", "st1.xml");
  const { items } = valueOf(await platform.acme.call(listBankStatementsRoute, {}));
  expect(items).toMatchObject([
    { reference: "ST1", iban: collecting, entryCount: bookings.length },
  ]);
  const params = { statementId: items[0]?.statementId ?? "" };
  const found = valueOf(await platform.acme.call(getBankStatementRoute, { params }));
  expect(found.matchedCount).toBe(bookings.length - 1);
  expect(found.differences.filter(({ kind }) => kind !== "NotAtBank")).toMatchObject([
    { kind: "NotInLedger", bankAmount: -1.5, ledgerAmount: null, reason: "Charges" },
  ]);
  // Besides what came in before there was a bank by files: the deposits that the withdrawals were made of.
  expect(
    found.differences.filter(({ kind, reference }) => kind === "NotAtBank" && reference !== null),
  ).toMatchObject([{ ledgerAmount: 45.67, bankAmount: null, reference: "D1" }]);
  const globex = await clientOf(platform.stack, "globex").call(getBankStatementRoute, { params });
  expect(globex.status).toBe(404);
  const operator = await clientOf(platform.stack, "platform").call(getBankStatementRoute, {
    params,
  });
  expect(valueOf(operator)).toEqual(found);
});
