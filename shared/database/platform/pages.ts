/** Reads one page of a list, and how many items all its pages have, in one statement. */
import { z } from "zod";
import type { Page, Paginated } from "../../contracts/pages.js";
import type { Queryable } from "./database.js";

/** SQL of a list; its values are `$1`, `$2` and on. */
export interface List<Item> {
  readonly item: z.ZodType<Item>;
  /** The JSON record of a row. */
  readonly record: string;
  /** Tables and conditions, from the word after FROM. */
  readonly from: string;
  /** A total order, so that no item is on two pages. */
  readonly order: string;
  readonly values: readonly unknown[];
}

export const readPage = async <Item>(
  database: Queryable,
  { item, record, from, order, values }: List<Item>,
  { pageSize, pageNumber }: Page,
): Promise<Paginated<Item>> => {
  const limit = `$${values.length + 1}::bigint`;
  const found = await database.row(
    z.object({ totalCount: z.int(), items: z.array(item) }),
    `select (select count(*) from ${from})::integer as "totalCount", array(
       select ${record} from ${from}
       order by ${order} limit ${limit} offset ${limit} * $${values.length + 2}::bigint) as items`,
    [...values, pageSize, pageNumber],
  );
  const { totalCount, items } = found ?? { totalCount: 0, items: [] };
  return { totalCount, limitCount: pageSize, items };
};
