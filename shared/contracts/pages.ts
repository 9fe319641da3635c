/** Pages of a list: the two query parameters, and the wrapper around the items (wallet seed, 2.1). */
import { z } from "zod";

const pageSizeMax = 200;
const pageSizeDefault = 50;
export const pageNumberMax = 2 ** 31 - 1;

/** A whole number as an address spells it: digits alone, no sign, point or exponent. */
const digits = /^\d{1,10}$/;

/** Only of what is no whole number: what is out of bounds is told its bound. */
export const notWhole = {
  error: ({ code }: { readonly code?: string }) =>
    code === "invalid_type" ? "must be a whole number without a sign" : undefined,
};

/** A query parameter that counts; documents say int32, though an address holds text. */
export const count = (minimum: number, maximum: number, fallback: number) =>
  z
    .string()
    .transform((text) => (digits.test(text) ? Number(text) : Number.NaN))
    .pipe(z.int(notWhole).min(minimum).max(maximum))
    .default(fallback)
    .meta({
      type: "integer",
      format: "int32",
      minimum,
      maximum,
      description: `${fallback} where absent.`,
    });

const pageQueryBy = (pageSize: number) =>
  ({
    pageSize: count(1, pageSizeMax, pageSize),
    pageNumber: count(0, pageNumberMax, 0),
  }) as const;

/** The query of a list; its route declares the codes `pageErrors`. */
export const pageQuery = pageQueryBy(pageSizeDefault);
/** Of store mandates, whose pages are small (wallet seed, section 8). */
export const smallPageQuery = pageQueryBy(10);

export const pageErrors = ["PageSizeOutOfRange", "PageNumberOutOfRange"] as const;

export interface Page {
  readonly pageSize: number;
  readonly pageNumber: number;
}

/** `limitCount` is the page size that held; `totalCount` counts the items of all pages. */
export const paginated = <Item extends z.ZodType>(item: Item) =>
  z.object({ totalCount: z.int32(), limitCount: z.int32(), items: z.array(item) });

export interface Paginated<Item> {
  readonly totalCount: number;
  readonly limitCount: number;
  readonly items: Item[];
}
