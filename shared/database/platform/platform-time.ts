/** Platform time for those who write no row: the database's clock with the sandbox's offset. */
import { z } from "zod";
import type { Queryable } from "./database.js";

const Now = z.object({ now: z.iso.datetime() });

export const platformNow = async (database: Queryable): Promise<string> => {
  const found = await database.row(Now, `select borsello.iso(borsello.platform_now()) as now`);
  if (found === undefined) throw new Error("the database does not tell the time");
  return found.now;
};

const Today = z.object({ today: z.iso.date() });

/** The day of Europe/Rome, as `2026-11-22`. */
export const romeToday = async (database: Queryable): Promise<string> => {
  const found = await database.row(
    Today,
    `select borsello.rome_date(borsello.platform_now())::text as today`,
  );
  if (found === undefined) throw new Error("the database does not tell the day");
  return found.today;
};
