/** The changes of state of an account or a card, as they were recorded. */
import { StateChange } from "../../contracts/card/fields.js";
import type { Page } from "../../contracts/pages.js";
import type { DateRange } from "../../domain/date-range.js";
import { success, type Outcome } from "../../domain/outcome.js";
import {
  whyNoAccount,
  whyNoCard,
  type AccountRefusal,
  type CardRefusal,
} from "../access/card-access.js";
import type { Reader } from "../access/wallet-access.js";
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

const read = async (
  database: Queryable,
  condition: string,
  id: string,
  { fromDate, toDate }: DateRange,
  { pageSize, pageNumber }: Page,
): Promise<StateChange[]> => {
  const changes = await database.rows(
    z.object({ change: StateChange }),
    `select borsello.card_state_change_record(s) as change from borsello.card_state_change as s
     where ${condition} and at >= coalesce($2::timestamptz, '-infinity')
       and at <= coalesce($3::timestamptz, 'infinity')
     order by change_id limit $4::bigint offset $4::bigint * $5::bigint`,
    [id, fromDate, toDate, pageSize, pageNumber],
  );
  return changes.map(({ change }) => change);
};

export const readAccountHistory = async (
  database: Queryable,
  reader: Reader,
  accountId: string,
  range: DateRange,
  page: Page,
): Promise<Outcome<StateChange[], AccountRefusal>> => {
  const refused = await whyNoAccount(database, reader, accountId);
  if (refused !== undefined) return refused;
  const own = "account_id = $1 and card_id is null";
  return success(await read(database, own, accountId, range, page));
};

export const readCardHistory = async (
  database: Queryable,
  reader: Reader,
  cardId: string,
  range: DateRange,
  page: Page,
): Promise<Outcome<StateChange[], CardRefusal>> => {
  const refused = await whyNoCard(database, reader, cardId);
  if (refused !== undefined) return refused;
  return success(await read(database, "card_id = $1", cardId, range, page));
};
