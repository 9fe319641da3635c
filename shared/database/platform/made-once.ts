/** Values that the app makes for itself and must find again: whoever is first makes them. */
import { z } from "zod";
import type { Queryable } from "./database.js";

export const madeOnce = async <Value>(
  database: Queryable,
  name: string,
  schema: z.ZodType<Value>,
  make: () => Promise<Value>,
): Promise<Value> => {
  const row = z.object({ value: schema });
  const select = "select value from borsello.made_once where name = $1";
  const stored = await database.row(row, select, [name]);
  if (stored !== undefined) return stored.value;
  await database.execute(
    "insert into borsello.made_once (name, value) values ($1, $2) on conflict do nothing",
    [name, JSON.stringify(await make())],
  );
  const kept = await database.row(row, select, [name]);
  if (kept === undefined) throw new Error(`The value ${name} vanished.`);
  return kept.value;
};
