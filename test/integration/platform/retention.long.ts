/** What forgetting costs on a large outbox and a large audit: how many rows a second, and how long one piece takes. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { forgetAudit } from "../../../shared/database/accounting/forget-audit.js";
import { sealAudit } from "../../../shared/database/accounting/seal.js";
import { forgetSent } from "../../../shared/database/outbox/forget-sent.js";
import { countOf, openBankTest, type BankTest } from "../../support/wallet/bank-fixtures.js";

const millions = Number(process.env["RETENTION_MILLIONS"] ?? "1");
const perPiece = 2_000;
/** Each statement has half a minute, on a busy machine, too. */
const perWrite = 100_000;

let bank: BankTest;
beforeAll(async () => {
  bank = await openBankTest();
});
afterAll(() => bank.end());

/** Calls until a piece says that it was the last; milliseconds of the longest, rows a second of all. */
const timed = async (piece: () => Promise<{ rows: number; isLast: boolean }>) => {
  const began = performance.now();
  let longestMs = 0;
  let rows = 0;
  for (let isLast = false; !isLast;) {
    const pieceBegan = performance.now();
    const done = await piece();
    ({ isLast } = done);
    rows += done.rows;
    longestMs = Math.max(longestMs, performance.now() - pieceBegan);
  }
  return { rows, longestMs, perSecond: Math.round((rows * 1_000) / (performance.now() - began)) };
};

test(`of ${millions} million sent messages the old half goes, beside what waits`, async () => {
  const rows = millions * 1_000_000;
  for (let written = 0; written < rows; written += perWrite)
    await bank.database.execute(
      `insert into borsello.outbox (destinations, session_id, subject, partner_key, body, created_at,
         sent_at, sequence)
       select '{acme,platform-events}', gen_random_uuid()::text, 'WalletUpdated', 'acme',
         json_build_object('text', repeat('x', 400)), now() - make_interval(days => age),
         case when number % 1000 > 0 then now() - make_interval(days => age) end, number
       from (select number, case when number * 2 <= $2::bigint then 60 else 1 end as age
         from generate_series($1::bigint + 1, least($1::bigint + $3, $2::bigint)) as number) as aged`,
      [written, rows, perWrite],
    );
  let after = 0n;
  const found = await timed(async () => {
    const { lastId, forgotten } = await forgetSent(bank.database, after, 30, perPiece);
    after = lastId ?? after;
    return { rows: forgotten, isLast: lastId === null };
  });
  console.log("outbox", JSON.stringify(found));
  expect(found.rows).toBe(rows / 2 - rows / 2_000);
  expect(await countOf(bank.database, "select count(*) from borsello.outbox")).toBe(
    rows / 2 + rows / 2_000,
  );
}, 1_800_000);

test("a fifth as many audit rows are forgotten behind their checkpoint", async () => {
  const rows = millions * 200_000;
  for (let written = 0; written < rows; written += perWrite)
    await bank.database.execute(
      `insert into borsello.audit (actor, partner_key, entity, entity_id, action, from_status, to_status)
       select 'acme-client', 'acme', 'Operation', gen_random_uuid()::text, 'confirm', 'Initialized',
         'Confirmed' from generate_series(1, $1::integer)`,
      [Math.min(perWrite, rows - written)],
    );
  const patient = { patienceMs: 30_000, linksMax: 1_000_000 };
  // Undone tells that somebody's transaction, such as a test's of another file, was waited for in vain.
  for (let pending = await sealAudit(bank.database, patient); pending !== undefined;)
    pending = await sealAudit(bank.database, { ...patient, pending });
  await bank.database.execute(
    "update borsello.sandbox_clock set offset_ms = 400 * 86400000::bigint",
  );
  const found = await timed(async () => {
    const forgotten = await forgetAudit(bank.database, 365, perPiece);
    return { rows: forgotten, isLast: forgotten === 0 };
  });
  console.log("audit", JSON.stringify(found));
  expect(found.rows).toBe(rows);
}, 1_800_000);
