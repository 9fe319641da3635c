/** Multiplies one instance by SQL: a million of them in a minute instead of an hour. */
import type { Client } from "pg";
import { z } from "zod";

const Column = z.object({ name: z.string() });

type Replacements = Readonly<Record<string, string>>;

/** Every column as it is in the original `o`, but for those replaced; `n` numbers the copies. */
const copyRows = async (
  client: Client,
  table: string,
  originals: string,
  replacements: Replacements,
  [id, count]: readonly [string, number],
): Promise<void> => {
  const { rows } = await client.query(
    `select column_name as name from information_schema.columns
     where table_schema = 'durable' and table_name = $1 order by ordinal_position`,
    [table],
  );
  const columns = rows.map((row) => Column.parse(row).name);
  const values = columns.map((column) => replacements[column] ?? `o.${column}`);
  await client.query(
    `insert into durable.${table} (${columns.join(", ")}) select ${values.join(", ")}
     from generate_series(1, $2::integer) as n, (${originals}) as o`,
    [id, count],
  );
};

/** The host must not run meanwhile. Timers of the copies are due up to an hour after the original's. */
export const cloneInstance = async (client: Client, id: string, count: number): Promise<void> => {
  const size = [id, count] as const;
  const { rows } = await client.query("select max(key)::text as name from durable.instance");
  const key = `${Column.parse(rows[0]).name}::bigint + n`;
  const copyId = "$1::text || '-' || n";
  const ofInstance = "(select key from durable.instance where id = $1::text)";
  const parts = { key };
  await copyRows(
    client,
    "history",
    `select * from durable.history where key = ${ofInstance}`,
    parts,
    size,
  );
  await copyRows(
    client,
    "activity",
    `select * from durable.activity where key = ${ofInstance}`,
    parts,
    size,
  );
  await copyRows(
    client,
    "message",
    "select * from durable.message where instance_id = $1::text",
    {
      // Below every number that the engine has given out.
      id: "o.id - (select max(id) + 1 from durable.message) * (n + 1)",
      instance_id: copyId,
      due_at: "o.due_at + n::bigint * 3600000 / $2",
    },
    size,
  );
  await copyRows(
    client,
    "instance",
    "select * from durable.instance where id = $1::text",
    { key, id: copyId, owner: "null" },
    size,
  );
  await client.query(
    "select setval(pg_get_serial_sequence('durable.instance', 'key'), (select max(key) from durable.instance))",
  );
  await client.query("analyze durable.instance, durable.history, durable.message");
};
