/** Forgets old audit rows behind a checkpoint of the hash chain, which goes on proving what is left. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

const Forgotten = z.object({ forgotten: z.int() });

/** The number of rows forgotten: whole links, so a few more than `rowsMax` at most. */
export const forgetAudit = async (
  database: Queryable,
  days: number,
  rowsMax: number,
): Promise<number> =>
  (
    await database.row(
      Forgotten,
      "select borsello.forget_audit(make_interval(days => $1), $2) as forgotten",
      [days, rowsMax],
    )
  )?.forgotten ?? 0;
