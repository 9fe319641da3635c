/** Searches on a real database: each parameter, each state, page after page. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "../../../shared/contracts/pages.js";
import type { Wallet } from "../../../shared/contracts/wallet/wallets.js";
import { searchWallets } from "../../../shared/database/wallet/search.js";
import { updateAttributes } from "../../../shared/database/wallet/attributes.js";
import { updateWallet } from "../../../shared/database/wallet/update.js";
import { createWallet } from "../../../shared/database/wallet/wallets.js";
import { checkedSearch, type SearchRequest } from "../../../shared/domain/wallet/search.js";
import {
  acme,
  made,
  openValidatedWallet,
  openWalletTest,
  someone,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

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
    ["an apostrophe as printed", { lastName: "d’artagnan" }],
    ["no accent", { firstName: "zoe" }],
    ["another accent", { firstName: "zöé" }],
    ["a part without its accents", { lastName: "artagnan\\un" }],
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
    ["digits with letters between", { phoneNumber: "98x765", firstName: "zoe" }],
    ["separators without a digit", { phoneNumber: "-", firstName: "zoe" }],
    ["the wrong field", { lastName: "zòe" }],
    ["one right and one wrong", { firstName: "zòe", lastName: "porthos" }],
    ["wildcards of SQL", { email: "z%dart" }],
    ["a part of a tax id", { taxId: "RSS" }],
    ["a part of an IBAN", { iban: "IT" }],
  ])("%s finds nothing", async (_what, request) => {
    expect(await search(request)).toEqual({ totalCount: 0, limitCount: 50, items: [] });
  });

  test.each([
    ["Ànna", "anna"],
    ["Anna", "ÀNNÁ"],
    ["Strauß", "strauss"],
    ["STRAUSS", "strauß"],
    ["Sørensen Łukasz", "sorensen luk"],
    ["Işık", "isik"],
    ["Ægir Þor", "aegir thor"],
    ["Ελένη", "ΕΛΕΝΗ"],
    ["Αλέξανδρος", "αλεξανδρ"],
  ])("%s is found by %s", async (name, part) => {
    const { walletId } = await named("Folded", name);
    const found = await idsOf({ firstName: "folded", lastName: part });
    expect(found).toContain(walletId);
  });

  test.each([
    ["+393391234567", "+39 339 1234567"],
    ["+393391234567", "0039 339 123 45 67"],
    ["+393391234567", "339-1234567"],
    ["+393391234567", "339.123.4567"],
    ["+393391234567", "(339) 123 4567"],
    ["+393391234567", "39/339 1234567"],
    ["+393391234567", "0039339"],
    ["+393391234567", "9 12 3"],
    ["+390612345678", "06 1234 5678"],
    ["+390612345678", "+39 (06) 12345678"],
    ["+390612345678", "+39 (0)6 12345678"],
    ["+442079460958", "+44 (0)20 7946 0958"],
    ["+442079460958", "0044 (0) 20 7946 0958"],
    ["+442079460958", "020 7946 0958"],
    ["+33612345678", "06 12 34 56 78"],
    ["+393300012345", "0001-2345"],
  ])("the number %s is found by %s", async (phoneNumber, part) => {
    const { walletId } = await named("Phoned", "Caller", { phoneNumber });
    expect(await idsOf({ firstName: "phoned", phoneNumber: part })).toContain(walletId);
    expect(await idsOf({ firstName: "phoned", phoneNumber: `${part}9` })).not.toContain(walletId);
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
