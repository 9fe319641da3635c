/** The transactions of a card as its holder sees them. The caller has checked whose card it is. */
import { z } from "zod";
import { CardTransaction } from "../../contracts/card/fields.js";
import type { Page, Paginated } from "../../contracts/pages.js";
import type { DateRange } from "../../domain/date-range.js";
import type { Queryable } from "../platform/database.js";
import { readPage } from "../platform/pages.js";

/** By default the last ninety days up to now, as platform time goes (card seed, section 8). */
const matching = `borsello.card_transaction as t
  where card_id = $1
    and transaction_date >= coalesce($2::timestamptz,
      coalesce($3::timestamptz, borsello.platform_now()) - interval '90 days')
    and transaction_date <= coalesce($3::timestamptz, borsello.platform_now())`;

const valuesOf = (cardId: string, { fromDate, toDate }: DateRange) => [cardId, fromDate, toDate];

export const listCardTransactions = (
  database: Queryable,
  cardId: string,
  range: DateRange,
  page: Page,
): Promise<Paginated<CardTransaction>> =>
  readPage(
    database,
    {
      item: CardTransaction,
      record: "borsello.card_transaction_record(t)",
      from: matching,
      order: "transaction_date, transaction_id",
      values: valuesOf(cardId, range),
    },
    page,
  );

export const countCardTransactions = async (
  database: Queryable,
  cardId: string,
  range: DateRange,
): Promise<number> => {
  const found = await database.row(
    z.object({ count: z.int() }),
    `select count(*)::integer as count from ${matching}`,
    valuesOf(cardId, range),
  );
  return found?.count ?? 0;
};
