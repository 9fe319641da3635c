/** How far sweeps have come, and what they had to leave behind: in the database, so that a restart loses neither. */
import { z } from "zod";
import type { Queryable } from "./database.js";

const Begun = z.object({ place: z.string().nullable(), setAside: z.array(z.string()) });

/** `place`: after it the sweep goes on; null: at the beginning. `setAside`: the subjects that it has left behind. */
export type SweepState = z.output<typeof Begun>;

/** More than these are not looked up at once: they stay until their turn is over. */
const setAsideMax = 1_000;

/** The first look of all is when the first turn begins. */
export const sweepState = async (database: Queryable, name: string): Promise<SweepState> =>
  (await database.row(
    Begun,
    `with begun as (
       insert into borsello.sweep (name) values ($1) on conflict do nothing
     )
     select (select place from borsello.sweep where name = $1) as place,
       array(select subject from borsello.set_aside where sweep = $1
         order by subject limit ${setAsideMax}) as "setAside"`,
    [name],
  )) ?? { place: null, setAside: [] };

export const keepPlace = async (
  database: Queryable,
  name: string,
  place: string,
): Promise<void> => {
  await database.execute("update borsello.sweep set place = $2 where name = $1", [name, place]);
};

/** The next turn begins at the first row; what did not come up in this one is no longer to be done. */
export const endTurn = async (database: Queryable, name: string): Promise<void> => {
  await database.execute(
    `with over as (
       delete from borsello.set_aside
       where sweep = $1 and last_failed_at < (select begun_at from borsello.sweep where name = $1)
     )
     update borsello.sweep set place = null, begun_at = clock_timestamp() where name = $1`,
    [name],
  );
};

/** `error` is for whoever looks after the platform: no caller reads it. */
export const setAside = async (
  database: Queryable,
  name: string,
  subject: string,
  error: string,
): Promise<void> => {
  await database.execute(
    `insert into borsello.set_aside as s (sweep, subject, error) values ($1, $2, left($3, 2000))
     on conflict (sweep, subject) do update set error = excluded.error, failures = s.failures + 1,
       last_failed_at = excluded.last_failed_at`,
    [name, subject, error],
  );
};

export const forgetSetAside = async (
  database: Queryable,
  name: string,
  subject: string,
): Promise<void> => {
  await database.execute("delete from borsello.set_aside where sweep = $1 and subject = $2", [
    name,
    subject,
  ]);
};

/** How many flows wait for somebody to look at them; counted up to a thousand. */
export const countSetAside = async (database: Queryable): Promise<number> =>
  (
    await database.row(
      z.object({ count: z.int() }),
      `select count(*)::int as count
       from (select from borsello.set_aside limit ${setAsideMax}) as counted`,
    )
  )?.count ?? 0;
