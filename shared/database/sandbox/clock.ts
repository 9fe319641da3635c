/** The sandbox's clock: an offset to wall time that only grows. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

const moved = z.object({ now: z.date() });

const moveForward = `
  update borsello.sandbox_clock
  set offset_ms = ceil(extract(epoch from $1::timestamptz - now()) * 1000)
  where offset_ms <= ceil(extract(epoch from $1::timestamptz - now()) * 1000)
  returning $1::timestamptz as now`;

/** Moves platform time to `now`; false where that lies in its past. */
export const moveSandboxClock = async (database: Queryable, now: string): Promise<boolean> =>
  (await database.row(moved, moveForward, [now])) !== undefined;
