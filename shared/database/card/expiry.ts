/** Cards whose month is over: they expire, a page of them in one transaction. */
import { z } from "zod";
import { cardTransitions, type CardTransition } from "../../domain/card/transitions.js";
import type { Database } from "../platform/database.js";

const actor = "platform";

const expiry = (): CardTransition => {
  const found = cardTransitions.find(({ command }) => command === "expire");
  if (found === undefined) throw new Error("The table of transitions lets no card expire.");
  return found;
};
const { command, event, from, to } = expiry();

/** The statuses stand in the statement, since the index has no other cards. */
const expire = `
  with due as (
    select card_id from borsello.card
    where status in (${from.map((status) => `'${status}'`).join(", ")})
      and borsello.is_card_over(expiry_date)
    order by expiry_date limit $1 for no key update skip locked
  ), changed as (
    update borsello.card as c set status = $2, status_reason_code = null, lock_level = null,
      version = version + 1, last_update_date = borsello.platform_now()
    from due where c.card_id = due.card_id
    returning c, old.status as state_before
  )
  select (c).card_id as "cardId", borsello.record_card_change(
    c, row($3::text, $4::text, $5::text, null, null, null)::borsello.card_command, state_before)
  from changed`;

/** The number of cards that expired, at most `cardsMax`: 0 where no more are due. */
export const expireCards = async (database: Database, cardsMax: number): Promise<number> => {
  const values = [cardsMax, to, command, event, actor];
  const expired = await database.commands(z.object({ cardId: z.string() }), expire, values);
  return expired.length;
};
