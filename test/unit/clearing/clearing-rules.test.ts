/** The rules of clearings: euro area, kinds of records, sums that must agree, what asking does in each state. */
import { expect, test } from "vitest";
import {
  bookmarkStatuses,
  clearingModes,
  effectOf,
  joinedWish,
  whyKept,
  type BookmarkPlace,
} from "../../../shared/domain/clearing/bookmark-states.js";
import { triggerClearingRoute } from "../../../shared/contracts/clearing/flows.js";
import { euroAreaAt, isInEuroArea } from "../../../shared/domain/clearing/euro-area.js";
import { kindOf } from "../../../shared/domain/clearing/record-kinds.js";
import { difference, totalsOf, type KindTotal } from "../../../shared/domain/clearing/totals.js";

test.each([
  ["1999-01-01T00:00:00Z", 11],
  ["2022-12-31T22:59:59Z", 19],
  ["2022-12-31T23:00:00Z", 20],
  ["2025-12-31T22:59:59Z", 20],
  ["2025-12-31T23:00:00Z", 21],
])("at %s the euro area has %i members", (moment, members) => {
  expect(euroAreaAt(moment)).toHaveLength(members);
});

test.each([
  ["ITA", "2026-11-22T10:00:00Z", true],
  ["BGR", "2025-06-01T10:00:00Z", false],
  ["BGR", "2026-06-01T10:00:00Z", true],
  ["REU", "2026-11-22T10:00:00Z", true],
  ["GBR", "2026-11-22T10:00:00Z", false],
  ["SMR", "2026-11-22T10:00:00Z", false],
  ["USA", "2026-11-22T10:00:00Z", false],
])("%s at %s: %s", (country, moment, isInside) => {
  expect(isInEuroArea(country, moment)).toBe(isInside);
});

test.each([
  [0, false, "Debit"],
  [1, true, "DebitReversal"],
  [17, false, "Debit"],
  [20, false, "Credit"],
  [20, true, "CreditReversal"],
] as const)("a record of type %i, reversal %s, is a %s", (type, isReversal, kind) => {
  expect(kindOf({ type, isReversal })).toBe(kind);
});

const sum: KindTotal = {
  kind: "Debit",
  isEuroZone: true,
  records: 2n,
  interchangeCents: 50n,
  feeCents: 3n,
};

test.each([
  ["nothing", {}, undefined],
  ["a record", { records: 1n }, /Debit EuroZone: records 1 instead of 2/],
  ["a cent", { interchangeCents: 49n }, /interchangeCents/],
  ["a fee", { feeCents: 2n }, /feeCents/],
  ["the zone", { isEuroZone: false }, /Debit EuroZone/],
  ["the kind", { kind: "Credit" }, /Debit EuroZone/],
] as const)("sums that differ in %s", (_, change, words) => {
  const found = difference(totalsOf([sum]), totalsOf([{ ...sum, ...change }]));
  if (words === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(words);
});

const place = (changes: Partial<BookmarkPlace>): BookmarkPlace => ({
  status: "Exporting",
  mode: "Full",
  isResting: false,
  isImported: true,
  ...changes,
});

test("asking for a clearing has this effect, wherever it stands", () => {
  const effects = (changes: Partial<BookmarkPlace>) =>
    clearingModes.map((mode) => effectOf(place(changes), mode)).join(" ");
  const resting = { status: "Exporting", isResting: true } as const;
  expect(
    Object.fromEntries(
      bookmarkStatuses.map((status) => [status, effects({ status, isImported: false })]),
    ),
  ).toEqual({
    Queued: "joins joins joins",
    Importing: "joins joins joins",
    Aggregating: "joins joins joins",
    Exporting: "joins joins joins",
    Completed: "nothing nothing nothing",
    Failed: "begins begins nothing",
  });
  expect(effects({ status: "Failed" })).toBe("begins begins begins");
  expect(effects(resting)).toBe("begins nothing begins");
  expect(effects({ ...resting, isImported: false })).toBe("begins begins nothing");
});

test("who joins a clearing under way gets what both want, and takes nothing from the first", () => {
  const all = { mode: "Full", affiliateKeys: null } as const;
  const some = { mode: "ExportOnly", affiliateKeys: ["acme"] } as const;
  const others = { mode: "ExportOnly", affiliateKeys: ["acme", "globex"] } as const;
  const none = { mode: "ImportOnly", affiliateKeys: null } as const;
  expect(joinedWish(all, none)).toEqual(all);
  expect(joinedWish(all, some)).toEqual(all);
  expect(joinedWish(none, some)).toEqual(some);
  expect(joinedWish(none, all)).toEqual(all);
  expect(joinedWish(some, others)).toEqual(others);
  expect(joinedWish(some, all)).toEqual(all);
});

test("files can be deleted while a clearing rests or has failed, and at no other time", () => {
  const why = (changes: Partial<BookmarkPlace>) => whyKept(place(changes));
  expect(why({ isResting: true })).toBeUndefined();
  expect(why({ status: "Failed" })).toBeUndefined();
  expect(why({ status: "Completed" })).toBe("ClearingFileAlreadyDelivered");
  for (const status of ["Queued", "Importing", "Aggregating", "Exporting"] as const)
    expect(why({ status })).toBe("ClearingBookmarkStatusInvalid");
});

test.each([
  ["0000-01-01", false],
  ["1899-12-31", false],
  ["1900-01-01", true],
  [null, true],
])("a clearing of %s: %s", (clearingDate, isTaken) => {
  const { body } = triggerClearingRoute;
  expect(body?.safeParse({ clearingDate }).success).toBe(isTaken);
});
