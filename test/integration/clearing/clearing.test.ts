/** A day's clearing on the database alone: every record once, sums that agree, whatever comes in between. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import {
  waitingItems,
  type IncomingSource,
} from "../../../shared/database/clearing/incoming-source.js";
import {
  listBookmarks,
  listIncoming,
  listOutgoing,
} from "../../../shared/database/clearing/clearings.js";
import { receiveFee, receivePresentment } from "../../../shared/database/clearing/receiving.js";
import { forceQueue } from "../../../shared/database/clearing/requests.js";
import { findRun } from "../../../shared/database/settlement/runs.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { cardOf } from "../../support/card/cards.js";
import {
  aDay,
  bookmarkOf,
  charge,
  clearDay,
  drive,
  fee,
  meansOf,
  present,
  presentment,
  queueDay,
  stepsOf,
} from "../../support/clearing/driven.js";
import { countOf } from "../../support/wallet/bank-fixtures.js";
import {
  acme,
  globex,
  made,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let clearings: WalletTest;
let database: Database;
let cardId: string;
let othersCardId: string;

beforeAll(async () => {
  clearings = await openWalletTest();
  ({ database } = clearings);
  cardId = await cardOf(database, "acme");
  othersCardId = await cardOf(database, "globex");
});
afterAll(() => clearings.end());

const Transaction = z.object({
  transactionId: z.string(),
  status: z.string(),
  feeCents: z.bigint(),
  presentmentId: z.string().nullable(),
});

const transactionsOf = (ofCard: string) =>
  database.rows(
    Transaction,
    `select transaction_id as "transactionId", status, fee_cents as "feeCents",
       metadata #>> '{presentment,presentmentId}' as "presentmentId"
     from borsello.card_transaction where card_id = $1 order by transaction_date, transaction_id`,
    [ofCard],
  );

const authorise = (ofCard: string, id: string, at: string, cents = 30_00, status = "Authorised") =>
  database.execute(
    `insert into borsello.card_transaction (transaction_id, partner_key, card_id, account_id,
       customer_id, billing_cents, status, transaction_date)
     select $2, partner_key, card_id, account_id, customer_id, $3, $4, $5
     from borsello.card where card_id = $1`,
    [ofCard, id, cents, status, at],
  );

const figuresOf = (figures: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(figures).filter(
      ([name, value]) => /Amount|Count|^deduction/.test(name) && value !== 0,
    ),
  );

const isCleared = async (itemId: string): Promise<number> =>
  countOf(database, "select count(*) from borsello.clearing_record where item_id = $1", [itemId]);

test("what waits is cleared once, summed by affiliate, kind and zone, and told to each affiliate", async () => {
  const day = aDay();
  await present(database, cardId, { amount: 30.25, feeAmount: 0.1 });
  await present(database, cardId, { amount: 10, isReversal: true });
  await present(database, cardId, { amount: 5, type: 20, merchantCountry: "USA" });
  await present(database, cardId, {
    amount: 1,
    type: 20,
    isReversal: true,
    merchantCountry: "GBR",
  });
  await present(database, cardId, { merchantCountry: "BGR" });
  await present(database, othersCardId, {
    merchantCountry: "BGR",
    transactionDate: "2025-12-31T23:30:00.000Z",
  });
  await charge(database, othersCardId);
  const { clearingBookmarkId, status } = await clearDay(database, day);
  expect(status).toBe("Completed");
  const own = made(await listOutgoing(database, clearingBookmarkId, "acme"));
  expect(own.map(({ fileName, availableRecords }) => [fileName, availableRecords])).toEqual([
    [`borsello_${day.clearingDate.replaceAll("-", "")}_CLEARINGMULTISCHEME_acme.jsonl`, 5],
  ]);
  expect(own.map(figuresOf)).toEqual([
    {
      interchangeDebitAmountEuroZone: 60.25,
      interchangeDebitReversalAmountEuroZone: 10,
      interchangeCreditAmountNonEuroZone: 5,
      interchangeCreditReversalAmountNonEuroZone: 1,
      feeDebitAmountEuroZone: 0.1,
      debitsCountEuroZone: 2,
      debitReversalsCountEuroZone: 1,
      creditsCountNonEuroZone: 1,
      creditReversalsCountNonEuroZone: 1,
    },
  ]);
  const others = made(await listOutgoing(database, clearingBookmarkId, "globex"));
  expect(others.map((each) => [each.type, figuresOf(each)])).toEqual([
    ["CLEARINGMULTISCHEME", { interchangeDebitAmountEuroZone: 30, debitsCountEuroZone: 1 }],
    ["FEEMULTISCHEME", { feeDebitAmountEuroZone: 2, debitsCountEuroZone: 1 }],
  ]);
  const incoming = made(await listIncoming(database, clearingBookmarkId));
  expect(incoming).toMatchObject([
    {
      type: "CLEARINGMULTISCHEME",
      isFileVerified: true,
      recordsInFile: 6,
      availableRecordsInFile: 6,
      readableRecordsInFile: 6,
      interchangeDebitAmountEuroZone: 90.25,
    },
    { type: "FEEMULTISCHEME", isFileVerified: true, recordsInFile: 1, feeDebitAmountEuroZone: 2 },
  ]);
  const { items } = await listBookmarks(
    database,
    "borsello",
    { fromDate: new Date(day.clearingDate), toDate: new Date(`${day.clearingDate}T10:00:00Z`) },
    { pageSize: 50, pageNumber: 0 },
  );
  expect(items).toMatchObject([
    { clearingBookmarkId, status, attempts: 1, interchangeDebitAmount: 90.25, feeDebitAmount: 2.1 },
  ]);
  const told = await database.rows(
    z.object({ partnerKey: z.string(), outgoing: z.array(z.unknown()) }),
    `select partner_key as "partnerKey", body -> 'outgoing' as outgoing from borsello.outbox
     where subject = 'ClearingCompleted' and session_id = $1 order by partner_key`,
    [clearingBookmarkId],
  );
  expect(told).toEqual([
    { partnerKey: "acme", outgoing: own },
    { partnerKey: "globex", outgoing: others },
  ]);
});

test("a presentment settles the oldest open authorisation of its card, amount and direction", async () => {
  const card = await cardOf(database, "acme");
  await authorise(card, "young", "2026-03-09T10:00:00Z");
  await authorise(card, "old", "2026-03-08T10:00:00Z");
  await authorise(card, "other-amount", "2026-03-07T10:00:00Z", 29_99);
  await authorise(card, "declined", "2026-03-06T10:00:00Z", 30_00, "Declined");
  const [first, second, third, reversal] = [
    await present(database, card, { feeAmount: 0.5 }),
    await present(database, card),
    await present(database, card),
    await present(database, card, { isReversal: true, amount: 29.99 }),
  ];
  expect(await transactionsOf(card)).toMatchObject([
    { transactionId: "declined", status: "Declined" },
    { transactionId: "other-amount", status: "Authorised" },
    { transactionId: "old", status: "Presented", feeCents: 50n, presentmentId: first },
    { transactionId: "young", status: "Presented", presentmentId: second },
    ...[third, reversal].toSorted().map((id) => ({ transactionId: id, status: "Presented" })),
  ]);
  const { clearingBookmarkId } = await clearDay(database, aDay());
  const cleared = (await transactionsOf(card)).filter(({ status }) => status === "Cleared");
  expect(cleared).toHaveLength(4);
  const authorised = await countOf(
    database,
    `select count(authorised_at) from borsello.clearing_record where clearing_bookmark_id = $1`,
    [clearingBookmarkId],
  );
  expect(authorised).toBe(2);
});

test("presentments at the same moment settle an authorisation each", async () => {
  const card = await cardOf(database, "acme");
  await authorise(card, `${card}-1`, "2026-03-08T10:00:00Z");
  await authorise(card, `${card}-2`, "2026-03-09T10:00:00Z");
  await Promise.all(Array.from({ length: 3 }, () => present(database, card)));
  const transactions = await transactionsOf(card);
  expect(transactions.filter(({ status }) => status === "Presented")).toHaveLength(3);
  expect(new Set(transactions.map(({ presentmentId }) => presentmentId)).size).toBe(3);
});

test("what is told twice counts once; what can't be taken says why", async () => {
  await clearDay(database, aDay());
  const told = presentment(cardId);
  await Promise.all([1, 2].map(() => receivePresentment(database, told)));
  expect(await receivePresentment(database, { ...told, eventId: "again" })).toBeUndefined();
  expect(await receivePresentment(database, { ...told, amount: 31 })).toMatchObject({
    reason: "RecordReused",
  });
  const charged = fee(cardId);
  expect(await receiveFee(database, charged)).toBeUndefined();
  expect(await receiveFee(database, charged)).toBeUndefined();
  expect(await receiveFee(database, { ...charged, feeCode: "X" })).toMatchObject({
    reason: "RecordReused",
  });
  const unknown = "00000000-0000-4000-8000-000000000000";
  expect(await receivePresentment(database, presentment(unknown))).toMatchObject({
    reason: "CardUnknown",
  });
  expect(await receiveFee(database, fee(cardId, { currency: "USD" }))).toMatchObject({
    reason: "CurrencyNotSupported",
  });
  const { clearingBookmarkId } = await clearDay(database, aDay());
  expect(await isCleared(told.presentmentId)).toBe(1);
  expect(await isCleared(charged.feeId)).toBe(1);
  expect(made(await listIncoming(database, clearingBookmarkId))).toMatchObject([
    { recordsInFile: 1 },
    { recordsInFile: 1 },
  ]);
});

test("a day without anything is Completed without files, and tells nobody", async () => {
  const { clearingBookmarkId, status } = await clearDay(database, aDay());
  expect(status).toBe("Completed");
  expect(made(await listOutgoing(database, clearingBookmarkId, null))).toEqual([]);
  expect(made(await listIncoming(database, clearingBookmarkId))).toMatchObject([
    { recordsInFile: 0, isFileVerified: true },
    { recordsInFile: 0, isFileVerified: true },
  ]);
});

test("what arrives while a day is imported is cleared with the next one", async () => {
  const day = aDay();
  const first = await present(database, cardId);
  const source = waitingItems(database);
  let late = "";
  const slow: IncomingSource = {
    ...source,
    lines: async (file, after, linesMax) => {
      if (late === "") late = await present(database, cardId);
      return source.lines(file, after, linesMax);
    },
  };
  await queueDay(database, day);
  expect((await drive(database, day, stepsOf(database, slow))).status).toBe("Completed");
  const next = aDay();
  await clearDay(database, next);
  const clearedIn = async (itemId: string, { clearingDate }: { clearingDate: string }) =>
    countOf(
      database,
      `select count(*) from borsello.clearing_record join borsello.clearing_bookmark as b
         using (clearing_bookmark_id) where item_id = $1 and b.clearing_date = $2`,
      [itemId, clearingDate],
    );
  expect(await clearedIn(first, day)).toBe(1);
  expect(await clearedIn(late, next)).toBe(1);
});

test("two who force a day at the same moment make one clearing, and their runs end with it", async () => {
  const day = aDay();
  const runs = await Promise.all(
    [acme, globex].map(async (actor) => made(await forceQueue(database, actor, day, "Full"))),
  );
  expect(runs.map(({ status }) => status)).toEqual(["Queued", "Queued"]);
  await present(database, cardId);
  await drive(database, day);
  for (const [place, { partnerKey }] of [acme, globex].entries())
    expect(await findRun(database, partnerKey, runs[place]?.runId ?? "")).toMatchObject({
      ...{ status: "Completed", items: 1, failures: 0 },
    });
});

test("every step may be killed after its work, or run twice at the same time", async () => {
  const day = aDay();
  for (let count = 0; count < 7; count += 1) await present(database, cardId, { amount: 1 + count });
  const take = stepsOf(database);
  await queueDay(database, day);
  const ended = await drive(database, day, async (name, input) => {
    const [first] = await Promise.all([take(name, input), take(name, input)]);
    await take(name, input);
    return first;
  });
  expect(ended).toMatchObject({ status: "Completed", attempts: 1 });
  const incoming = made(await listIncoming(database, ended.clearingBookmarkId));
  const outgoing = made(await listOutgoing(database, ended.clearingBookmarkId, null));
  expect(incoming[0]).toMatchObject({ recordsInFile: 7, interchangeDebitAmountEuroZone: 28 });
  expect(outgoing).toMatchObject([{ availableRecords: 7, interchangeDebitAmountEuroZone: 28 }]);
  const told =
    "select count(*) from borsello.outbox where subject = 'ClearingCompleted' and session_id = $1";
  expect(await countOf(database, told, [ended.clearingBookmarkId])).toBe(1);
});

test("a file that is not what its header says is Failed, and none of it counts; deleted, it is cut anew", async () => {
  const day = aDay();
  const itemId = await present(database, cardId);
  const source = waitingItems(database);
  const forged: IncomingSource = {
    ...source,
    lines: async (file, after, linesMax) =>
      (await source.lines(file, after, linesMax)).map(({ ordinal, record }) => ({
        ordinal,
        record: record.replace('"amount":30', '"amount":31'),
      })),
  };
  // The header is made of what the source has: what comes over is another text.
  await queueDay(database, day);
  const failed = await drive(database, day, stepsOf(database, forged));
  expect(failed.status).toBe("Failed");
  expect(failed.feedback).toMatch(/SHA-256/);
  expect(await isCleared(itemId)).toBe(0);
  await queueDay(database, day);
  expect(await drive(database, day)).toMatchObject({ status: "Completed" });
  expect(await isCleared(itemId)).toBe(1);
});

test("a record of a card that is not there fails the day, and is taken over by nobody", async () => {
  const day = aDay();
  const itemId = await present(database, cardId);
  const source = waitingItems(database);
  const foreign = (record: string): string =>
    record.replace(cardId, "00000000-0000-4000-8000-000000000000");
  await database.execute(
    "update borsello.clearing_item set record = replace(record, $2, $3) where item_id = $1",
    [itemId, cardId, foreign(cardId)],
  );
  await queueDay(database, day);
  const failed = await drive(database, day, stepsOf(database, source));
  expect(failed.status).toBe("Failed");
  expect(failed.feedback).toMatch(/unknown card/);
  await database.execute("delete from borsello.clearing_item where item_id = $1", [itemId]);
});

test("a store that is away is tried again after its time, and after its last try the day is Failed", async () => {
  const day = aDay();
  await present(database, cardId);
  const means = meansOf(database);
  const away = {
    ...means,
    documents: { ...means.documents, write: () => Promise.reject(new Error("away")) },
  };
  const take = stepsOf(database, waitingItems(database), away);
  const asTheFlow = async (name: string, input: unknown): Promise<unknown> => {
    try {
      return await take(name, input);
    } catch {
      return take("failClearingTry", { ...(input as object), during: "export" });
    }
  };
  await queueDay(database, day);
  const waited: string[] = [];
  for (let tries = 1; tries <= 8; tries += 1) {
    const found = await drive(database, day, asTheFlow);
    waited.push(`${found.status} ${found.attempts}`);
    await database.execute(
      "update borsello.clearing_bookmark set due_at = borsello.platform_now() where status = 'Queued'",
    );
  }
  expect(waited).toEqual([
    ...Array.from({ length: 7 }, (_, tries) => `Queued ${tries + 1}`),
    "Failed 8",
  ]);
  expect((await bookmarkOf(database, day)).feedback).toMatch(/files could not be written/);
  expect(await queueDay(database, day)).toBe("Queued");
  expect(await drive(database, day)).toMatchObject({ status: "Completed", attempts: 1 });
});
