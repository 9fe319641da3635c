/** Lists and searches on a real database: each parameter, pages and counts, and no scan of a big table. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { growTo, rareName } from "../../bench/wallet-rows.js";
import type { Page } from "../../shared/contracts/pages.js";
import type { Wallet } from "../../shared/contracts/wallet/wallets.js";
import { listWallets } from "../../shared/database/wallet-list.js";
import { searchStatement, searchWallets } from "../../shared/database/wallet-search.js";
import { createWallet, updateAttributes, updateWallet } from "../../shared/database/wallets.js";
import { checkedSearch, type SearchRequest } from "../../shared/domain/wallet/search.js";
import { creditWallet } from "../support/funds.js";
import {
  acme,
  globex,
  made,
  openValidatedWallet,
  openWallet,
  openWalletTest,
  someone,
  type WalletTest,
} from "../support/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const firstPage: Page = { pageSize: 50, pageNumber: 0 };

const search = (request: SearchRequest, page = firstPage, partnerKey = "acme") =>
  searchWallets(wallets.database, partnerKey, made(checkedSearch(request)), page);

const idsOf = async (request: SearchRequest): Promise<string[]> =>
  (await search(request)).items.map(({ walletId }) => walletId);

/** A customer whose names no other wallet of this file has. */
const named = (firstName: string, lastName: string, more: object = {}): Promise<Wallet> =>
  createWallet(wallets.database, acme, { ...someone().owner, firstName, lastName, ...more }).then(
    made,
  );

describe("one parameter", () => {
  let wallet: Wallet;
  beforeAll(async () => {
    wallet = await named("Zòe", "D'Àrtagnan\\Ünal", {
      email: "z.dart_100%@musketeers.example",
      phoneNumber: "+390698765432",
    });
  });

  test.each([
    ["a whole first name", { firstName: "zòe" }],
    ["its end", { firstName: "ÒE" }],
    ["one letter", { firstName: "Z" }],
    ["the same text, decomposed", { firstName: "zo\u0300e" }],
    ["blanks around", { firstName: "  Zòe " }],
    ["an apostrophe", { lastName: "D'À" }],
    ["a backslash", { lastName: "n\\ü" }],
    ["the end of a last name", { lastName: "nal" }],
    ["a part of a phone number", { phoneNumber: "9876" }],
    ["two digits", { phoneNumber: "+3", firstName: "zòe" }],
    ["an underscore and a percent sign", { email: "_100%" }],
    ["a part of an e-mail in capitals", { email: "MUSKETEERS" }],
    ["several parts", { firstName: "ò", lastName: "rtagn", email: "@", phoneNumber: "0698" }],
  ])("%s is found, and nobody else", async (_what, request) => {
    expect(await idsOf(request)).toEqual([wallet.walletId]);
  });

  test.each([
    ["letters in another order", { firstName: "eòz" }],
    ["letters that are all there, but apart", { lastName: "d'àgnan" }],
    ["another accent", { firstName: "zoe" }],
    ["the wrong field", { lastName: "zòe" }],
    ["one right and one wrong", { firstName: "zòe", lastName: "porthos" }],
    ["wildcards of SQL", { email: "z%dart" }],
    ["a part of a tax id", { taxId: "RSS" }],
    ["a part of an IBAN", { iban: "IT" }],
  ])("%s finds nothing", async (_what, request) => {
    expect(await search(request)).toEqual({ totalCount: 0, limitCount: 50, items: [] });
  });

  test("tax id and IBAN are found whole, in any case and spelling", async () => {
    const { walletId, taxId, iban } = await openValidatedWallet(wallets.database);
    expect(await idsOf({ taxId: ` ${taxId.toLowerCase()} ` })).toEqual([walletId]);
    const spelled = iban?.toLowerCase().replace(/(.{4})/g, "$1 ") ?? "";
    expect(await idsOf({ iban: spelled })).toEqual([walletId]);
    expect(await idsOf({ iban: spelled, taxId })).toEqual([walletId]);
    expect(await idsOf({ iban: spelled, taxId: wallet.taxId })).toEqual([]);
    expect(await idsOf({ taxId, isSuspended: true })).toEqual([]);
  });

  test("missing, null, empty and blank ones are ignored", async () => {
    const all = await search({});
    expect(all.totalCount).toBeGreaterThan(0);
    expect(
      await search({ taxId: null, firstName: "", lastName: " \t", iban: "  ", isClosed: null }),
    ).toEqual(all);
  });

  test("another partner finds none of it", async () => {
    expect((await search({ firstName: "zòe" }, firstPage, "globex")).totalCount).toBe(0);
    expect((await search({ taxId: wallet.taxId }, firstPage, "globex")).totalCount).toBe(0);
  });

  test("what was changed is found by its new data only", async () => {
    const changed = await named("Milady", "Dewinter");
    const { walletId, phoneNumber } = changed;
    const email = "anne.debreuil@example.com";
    made(await updateWallet(wallets.database, acme, walletId, { taxId: changed.taxId, email }));
    expect(await idsOf({ email: "debreuil" })).toEqual([walletId]);
    expect(await idsOf({ email: changed.email })).toEqual([]);
    const names = { firstName: someone().owner.firstName, lastName: "Dewinter" };
    const refused = await updateAttributes(wallets.database, acme, walletId, {
      ...names,
      phoneNumber,
    });
    expect(refused).toMatchObject({ code: "NamesDoNotMatchTaxId" });
    expect(await idsOf({ firstName: "milady" })).toEqual([walletId]);
  });
});

describe("states", () => {
  const name = "Statesman";
  let ids: Readonly<Record<"Active" | "Suspended" | "Closed", string>>;
  let used: string;

  beforeAll(async () => {
    const make = async (status: string): Promise<string> => {
      const { walletId } = await named("Solon", name);
      const set = "update borsello.wallet set status = $2 where wallet_id = $1";
      await wallets.database.execute(set, [walletId, status]);
      return walletId;
    };
    ids = {
      Active: await make("Active"),
      Suspended: await make("Suspended"),
      Closed: await make("Closed"),
    };
    used = await make("Active");
    await wallets.database.execute(
      "update borsello.wallet set last_usage_date = now() where wallet_id = $1",
      [used],
    );
  });

  test.each([
    [{ isSuspended: true }, ["Suspended", "Closed"]],
    [{ isSuspended: false, hasNeverBeenUsed: true }, ["Active"]],
    [{ isClosed: true }, ["Closed"]],
    [{ isClosed: false, hasNeverBeenUsed: true }, ["Active", "Suspended"]],
    [{ isSuspended: true, isClosed: true }, ["Closed"]],
    [{ isSuspended: true, isClosed: false }, ["Suspended"]],
    [{ hasNeverBeenUsed: true }, ["Active", "Suspended", "Closed"]],
  ] as const)("%j finds %j, with a name and without", async (request, statuses) => {
    const expected = statuses.map((status) => ids[status]);
    expect(await idsOf({ ...request, lastName: name })).toEqual(expected);
    const all = await search(request, { pageSize: 200, pageNumber: 0 });
    expect(all.items.map(({ walletId }) => walletId)).toEqual(expect.arrayContaining(expected));
    expect(all.items).toHaveLength(all.totalCount);
    expect(new Set(all.items.map(({ status }) => status))).toEqual(new Set(statuses));
  });

  test("false asks nothing of the usage", async () => {
    expect(await idsOf({ lastName: name, hasNeverBeenUsed: false, isSuspended: false })).toEqual([
      ids.Active,
      used,
    ]);
  });
});

test("pages follow each other by creation date, and each wallet is on one of them", async () => {
  const { totalCount } = await search({});
  for (const request of [{}, { isClosed: false }, { email: "@" }]) {
    const pages = [];
    for (let pageNumber = 0; pageNumber * 7 < totalCount; pageNumber += 1)
      pages.push(await search(request, { pageSize: 7, pageNumber }));
    const found = pages.flatMap(({ items }) => items);
    expect(new Set(found.map(({ walletId }) => walletId)).size).toBe(pages[0]?.totalCount);
    const dates = found.map(({ creationDate }) => creationDate);
    expect(dates).toEqual(dates.toSorted());
  }
  expect((await search({}, { pageSize: 1, pageNumber: 2 ** 31 - 1 })).items).toEqual([]);
});

describe("on a grown table", () => {
  const grown = 30_000;
  beforeAll(async () => {
    await creditWallet(wallets.database, (await openWallet(wallets.database)).walletId, 1n);
    const url = wallets.database.pool.options.connectionString ?? "";
    await growTo(url, 0, grown);
  });

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
      [statuses, neverUsed, parts.lastName ?? "", parts.phoneNumber ?? ""],
    );
    expect(BigInt((await search(request)).totalCount)).toBe(rows[0]?.count);
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
});
