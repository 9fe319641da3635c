/** Lists: one page when awaited, every item when walked through. */
import type { AnyCallOptions } from "./call.js";
import type { Input } from "./request.js";
import { valueOf, type AnyRefusal, type Result } from "./result.js";
import type { Paging } from "./route-line.js";

/**
 * A list that is asked for when somebody wants it: `await` sends one call and gives its page,
 * `for await` goes through the items of all pages from there and throws a refusal as `RefusedError`.
 */
export interface PagedCall<Page, Item, Refused extends AnyRefusal = AnyRefusal>
  extends PromiseLike<Result<Page, Refused>>, AsyncIterable<Item> {}

interface Step {
  readonly items: readonly unknown[];
  /** What the next page is asked for by; null: this was the last one. */
  readonly next: Input | null;
}

type Page = Readonly<Record<string, unknown>>;

const itemsIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const numberIn = (value: unknown): number => (value === undefined ? 0 : Number(value));

/** What a page holds and how it goes on, by the kind of list. */
const steps: Readonly<Record<Paging, (page: Page, asked: Input) => Step>> = {
  numbers: (page, asked) => {
    const items = itemsIn(page["items"]);
    const next = numberIn(asked["pageNumber"]) + 1;
    const isLast =
      items.length === 0 || next * numberIn(page["limitCount"]) >= numberIn(page["totalCount"]);
    return { items, next: isLast ? null : { pageNumber: next } };
  },
  arrays: (page, asked) => {
    const items = itemsIn(page);
    const next = { pageNumber: numberIn(asked["pageNumber"]) + 1 };
    return { items, next: items.length === 0 ? null : next };
  },
  cursor: (page, asked) => {
    const cursor = page["nextCursor"];
    const isLast = typeof cursor !== "string" || cursor === asked["cursor"];
    return {
      items: itemsIn(page["items"]),
      next: isLast ? null : { cursor, pageNumber: undefined },
    };
  },
  sequence: (page, asked) => {
    const after = page["nextAfter"];
    const isLast = typeof after !== "number" || after === numberIn(asked["after"]);
    return { items: itemsIn(page["items"]), next: isLast ? null : { after } };
  },
  tickets: (page, asked) => {
    const items = itemsIn(page["response"]);
    return { items, next: items.length === 0 ? null : { page: numberIn(asked["page"]) + 1 } };
  },
};

type Send = (input: Input, options: AnyCallOptions) => Promise<Result<unknown>>;

export const pagedCall = (
  paging: Paging,
  send: Send,
  input: Input,
  options: AnyCallOptions,
): PagedCall<unknown, unknown> => {
  let first: Promise<Result<unknown>> | undefined;
  return {
    then: (fulfilled, rejected) => (first ??= send(input, options)).then(fulfilled, rejected),
    async *[Symbol.asyncIterator]() {
      let asked: Input | null = input;
      while (asked !== null) {
        const page = valueOf(await send(asked, options)) as Page;
        const { items, next }: Step = steps[paging](page, asked);
        yield* items;
        asked = next === null ? null : { ...asked, ...next };
      }
    },
  };
};
