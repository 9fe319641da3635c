/** Forgets messages that were sent long ago, in the order in which they were written. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

const Page = z.object({ lastId: z.bigint().nullable(), forgotten: z.int() });
export type ForgottenPage = z.output<typeof Page>;

/** `lastId`: the next page begins after it; null: all that follows is younger. */
export const forgetSent = async (
  database: Queryable,
  after: bigint,
  days: number,
  messagesMax: number,
): Promise<ForgottenPage> =>
  (await database.row(
    Page,
    `select last_id as "lastId", forgotten
     from borsello.forget_sent($1, make_interval(days => $2), $3)`,
    [after, days, messagesMax],
  )) ?? { lastId: null, forgotten: 0 };
