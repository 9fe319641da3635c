/** Lists and searches on a grown table: no scan of it, counts as it says, pages near and far. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { growTo, rareName } from "../../../bench/platform/wallet-rows.js";
import { openDatabase } from "../../../shared/database/platform/database.js";
import { dueFlows } from "../../../shared/database/onboarding/flow-state.js";
import { listWallets } from "../../../shared/database/wallet/list.js";
import { searchStatement, searchWallets } from "../../../shared/database/wallet/search.js";
import { dealerStatistics, partnerStatistics } from "../../../shared/database/wallet/statistics.js";
import { createWallet } from "../../../shared/database/wallet/wallets.js";
import { checkedSearch } from "../../../shared/domain/wallet/search.js";
import { countOf, silentLogger } from "../../support/wallet/bank-fixtures.js";
import {
  globex,
  made,
  openWalletTest,
  someone,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

const grown = 30_000;
const firstPage = { pageSize: 50, pageNumber: 0 };

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
  await growTo(wallets.database.pool.options.connectionString ?? "", 0, grown);
});
afterAll(() => wallets.end());

const PlanRow = z.object({ "QUERY PLAN": z.string() });

test.each([
  { taxId: "GROWN7" },
  { iban: "GROWN7" },
  { firstName: "uno" },
  { firstName: "b" },
  { lastName: rareName.part },
  { lastName: "ba" },
  { phoneNumber: "333" },
  { email: "example" },
  { email: "@", firstName: "a", isSuspended: true, hasNeverBeenUsed: true },
])("%j reads no table as a whole", async (request) => {
  const { text, values } = searchStatement(made(checkedSearch(request)));
  const plan = await wallets.database.pool.query(`explain ${text}`, ["acme", 50, 0, ...values]);
  const lines = z
    .array(PlanRow)
    .parse(plan.rows)
    .map((row) => row["QUERY PLAN"]);
  expect(lines.filter((line) => /Seq Scan on (wallet|wallet_search)\b/.test(line))).toEqual([]);
});

test("neither lists nor states nor statistics nor the sweep of flows read the wallets as a whole", async () => {
  const url = wallets.database.pool.options.connectionString ?? "";
  // One connection, which can be told to hand in its own counts.
  const database = openDatabase({
    connection: { kind: "url", url },
    logger: silentLogger,
    poolSize: 1,
  });
  const scans = async (): Promise<number> => {
    await database.pool.query("select pg_stat_force_next_flush()");
    return countOf(
      database,
      `select pg_stat_get_numscans('borsello.wallet'::regclass)
         + pg_stat_get_numscans('borsello.onboarding'::regclass) as count`,
    );
  };
  try {
    await database.ready();
    const before = await scans();
    const from = new Date(Date.now() - 90 * 86_400_000);
    // Often enough for plans that no longer look at the values.
    for (let round = 0; round < 8; round += 1) {
      await listWallets(database, "acme", { fromDate: null, toDate: null }, firstPage);
      await listWallets(database, "acme", { fromDate: from, toDate: null }, firstPage);
      await listWallets(database, "acme", { fromDate: from, toDate: new Date() }, firstPage);
      for (const request of [{ isSuspended: true }, { isClosed: false, hasNeverBeenUsed: true }])
        await searchWallets(database, "acme", made(checkedSearch(request)), firstPage);
      made(await partnerStatistics(database, "acme"));
      made(await dealerStatistics(database, "acme", "dealer-rome"));
      await dueFlows(database, null, 500);
    }
    expect(await scans()).toBe(before);
    await database.pool.query("select sum(length(email)) from borsello.wallet");
    expect(await scans(), "a scan would have shown").toBe(before + 1);
  } finally {
    await database.close();
  }
});

test.each([
  {},
  { isSuspended: true },
  { isSuspended: false },
  { isClosed: true },
  { hasNeverBeenUsed: true },
  { lastName: rareName.part },
  { phoneNumber: "+39333" },
])("%j counts as the table does", async (request) => {
  const { statuses, parts, neverUsed } = made(checkedSearch(request));
  const { rows } = await wallets.database.pool.query<{ count: bigint }>(
    `select count(*) from borsello.wallet where partner_key = 'acme' and status = any($1)
       and ($2::boolean is false or last_usage_date is null)
       and last_name ilike '%' || $3 || '%' and phone_number like '%' || $4 || '%'`,
    [statuses, neverUsed, parts.lastName?.[0] ?? "", parts.phoneNumber?.[0] ?? ""],
  );
  const search = made(checkedSearch(request));
  const found = await searchWallets(wallets.database, "acme", search, firstPage);
  expect(BigInt(found.totalCount)).toBe(rows[0]?.count);
});

test("any range of dates lists and counts what lies in it", async () => {
  const yearMs = 366 * 86_400_000;
  const now = Date.now();
  const moment = fc.option(fc.integer({ min: -yearMs, max: 86_400_000 }), { nil: null });
  await fc.assert(
    fc.asyncProperty(moment, moment, async (one, other) => {
      const [from, to] =
        one !== null && other !== null && one > other ? [other, one] : [one, other];
      const range = {
        fromDate: from === null ? null : new Date(now + from),
        toDate: to === null ? null : new Date(now + to),
      };
      const listed = await listWallets(wallets.database, "acme", range, firstPage);
      const { rows } = await wallets.database.pool.query<{ count: bigint; first: string | null }>(
        `select count(*), (array_agg(wallet_id order by creation_date, wallet_id))[1] as first
         from borsello.wallet where partner_key = 'acme'
           and creation_date >= coalesce($1::timestamptz, '-infinity')
           and creation_date <= coalesce($2::timestamptz, 'infinity')`,
        [range.fromDate, range.toDate],
      );
      expect(BigInt(listed.totalCount)).toBe(rows[0]?.count);
      expect(listed.items[0]?.walletId ?? null).toBe(rows[0]?.first);
    }),
    { numRuns: 60 },
  );
});

test.each([
  [50, 99],
  [50, 100],
  [7, 4_242],
  [200, 149],
  [200, 151],
])("pages of %i are the right ones far behind, too: page %i", async (pageSize, pageNumber) => {
  const toDate = new Date(Date.now() - 7 * 86_400_000);
  for (const range of [
    { fromDate: null, toDate: null },
    { fromDate: null, toDate },
    { fromDate: new Date(Date.now() - 300 * 86_400_000), toDate: null },
  ]) {
    const listed = await listWallets(wallets.database, "acme", range, { pageSize, pageNumber });
    const { rows } = await wallets.database.pool.query<{ id: string }>(
      `select wallet_id as id from borsello.wallet where partner_key = 'acme'
         and creation_date >= coalesce($1::timestamptz, '-infinity')
         and creation_date <= coalesce($2::timestamptz, 'infinity')
       order by creation_date, wallet_id limit $3 offset $4`,
      [range.fromDate, range.toDate, pageSize, pageSize * pageNumber],
    );
    expect(listed.items.map(({ walletId }) => walletId)).toEqual(rows.map(({ id }) => id));
  }
});

test("a wallet's own moment is inside, at both ends", async () => {
  const wallet = made(
    await createWallet(wallets.database, globex, {
      ...someone().owner,
      originatingDealerKey: "dealer-turin",
    }),
  );
  const at = new Date(wallet.creationDate);
  const list = (fromDate: Date | null, toDate: Date | null) =>
    listWallets(wallets.database, "globex", { fromDate, toDate }, firstPage);
  for (const [from, to] of [
    [at, at],
    [at, null],
    [null, at],
  ] as const)
    expect(await list(from, to)).toMatchObject({ totalCount: 1, items: [wallet] });
  const later = new Date(at.getTime() + 1);
  expect(await list(later, null)).toMatchObject({ totalCount: 0, items: [] });
});
