/** Platform time for those who write no row: the database's clock with the sandbox's offset. */
import { z } from "zod";
import type { Queryable } from "./database.js";

const Now = z.object({ now: z.iso.datetime() });

export const platformNow = async (database: Queryable): Promise<string> => {
  const found = await database.row(Now, `select borsello.iso(borsello.platform_now()) as now`);
  if (found === undefined) throw new Error("the database does not tell the time");
  return found.now;
};
