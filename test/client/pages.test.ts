/** Lists that are walked through: every item once, in order, and an end. */
import { expect, test } from "vitest";
import { pagedCall } from "../../client/src/pages.js";
import type { Input } from "../../client/src/request.js";
import { RefusedError, type Result } from "../../client/src/result.js";
import type { Paging } from "../../client/src/route-line.js";
import { table } from "../support/client/lines.js";

const success = (value: unknown): Result<unknown> => ({
  ok: true,
  status: 200,
  value,
  requestId: "r",
  isReplayed: false,
});

const sizes = [0, 1, 2, 3, 4, 5];
const limit = 2;
const numbersOf = (count: number): number[] =>
  Array.from({ length: count }, (_none, index) => index + 1);
const numbered = (value: unknown): number => Number(value ?? 0);

const allOf = async (list: AsyncIterable<unknown>): Promise<unknown[]> => {
  const items: unknown[] = [];
  for await (const item of list) items.push(item);
  return items;
};

/** What the platform answers for each kind of list that holds the numbers from 1 on. */
const platforms: Readonly<Record<Paging, (all: number[], asked: Input) => unknown>> = {
  numbers: (all, { pageNumber }) => ({
    totalCount: all.length,
    limitCount: limit,
    items: all.slice(numbered(pageNumber) * limit, (numbered(pageNumber) + 1) * limit),
  }),
  arrays: (all, { pageNumber }) =>
    all.slice(numbered(pageNumber) * limit, (numbered(pageNumber) + 1) * limit),
  cursor: (all, { cursor }) => {
    const end = numbered(cursor) + limit;
    return {
      items: all.slice(end - limit, end),
      nextCursor: end < all.length ? String(end) : null,
    };
  },
  sequence: (all, { after }) => {
    const items = all.filter((number) => number > numbered(after)).slice(0, limit);
    return { items, nextAfter: items.at(-1) ?? numbered(after) };
  },
  tickets: (all, { page }) => ({
    response: all.slice(numbered(page) * limit, (numbered(page) + 1) * limit),
  }),
};

const cases = (Object.keys(platforms) as Paging[]).flatMap((paging) =>
  sizes.map((count) => ({ paging, count })),
);

test.each(cases)("$count items by $paging are all of them, once and in order", async (row) => {
  const all = numbersOf(row.count);
  let calls = 0;
  const list = pagedCall(
    row.paging,
    async (asked) => {
      calls += 1;
      return success(platforms[row.paging](all, asked));
    },
    {},
    {},
  );
  expect(await allOf(list)).toEqual(all);
  expect(calls).toBeLessThanOrEqual(row.count / limit + 2);
});

test("nothing is sent before somebody wants it, and an awaited page is sent for once", async () => {
  const asked: Input[] = [];
  const list = pagedCall(
    "numbers",
    async (input) => {
      asked.push(input);
      return success({ items: [], totalCount: 0, limitCount: 1 });
    },
    { pageNumber: 3 },
    {},
  );
  expect(asked).toEqual([]);
  expect(await list).toBe(await list);
  expect(asked).toEqual([{ pageNumber: 3 }]);
});

test("pages are asked for as they are needed, and a refusal on the way is thrown", async () => {
  let calls = 0;
  const list = pagedCall(
    "sequence",
    async ({ after = 0 }) => {
      calls += 1;
      if (calls > 2)
        return {
          ok: false,
          error: {
            code: "EventsForgotten",
            status: 400,
            message: "Gone.",
            properties: {},
            requestId: "r",
          },
        };
      return success({ items: [Number(after) + 1], nextAfter: Number(after) + 1 });
    },
    {},
    {},
  );
  for await (const item of list) {
    expect(item).toBe(1);
    break;
  }
  expect(calls).toBe(1);
  await expect(allOf(list)).rejects.toBeInstanceOf(RefusedError);
});

test("a platform that repeats its last cursor or number does not keep anybody for ever", async () => {
  const same = async (): Promise<Result<unknown>> =>
    success({ items: ["a"], nextCursor: "x", nextAfter: 7 });
  for (const paging of ["cursor", "sequence"] as const) {
    expect(await allOf(pagedCall(paging, same, {}, {}))).toEqual(["a", "a"]);
  }
});

test("each route that takes a page, a cursor or a number to begin after is a list", () => {
  const lines = Object.values(table).flatMap(({ routes }) => Object.entries(routes));
  const named = lines.filter(([, { query = [] }]) =>
    query.some((name) => ["pageNumber", "page", "cursor", "after"].includes(name)),
  );
  expect(named.length).toBeGreaterThan(10);
  for (const [id, { paging }] of named)
    expect({ id, isList: paging !== undefined }).toEqual({ id, isList: true });
});
