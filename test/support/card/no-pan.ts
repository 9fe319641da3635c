/** Searches whatever the platform leaves behind for full numbers of cards: there must be none anywhere. */
import { z } from "zod";
import { isPan } from "../../../shared/domain/card/pan.js";
import type { Queryable } from "../../../shared/database/platform/database.js";

/** Milliseconds since 1970 have thirteen digits, too, and begin with a 1 until 2033: no network's cards do. */
const isMoment = (digits: string): boolean => digits.length === 13 && digits.startsWith("1");

/** Not within a longer word, such as a hash, nor behind the point of a fraction; in groups of four, too. */
const runs = /(?<![\p{L}\d_.])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7})(?![\p{L}\d_])/gu;

export const pansIn = (text: string): string[] =>
  [...text.matchAll(runs)].map(([digits]) => digits).filter((run) => isPan(run) && !isMoment(run));

const Column = z.object({
  schema: z.string(),
  table: z.string(),
  column: z.string(),
  isBytes: z.boolean(),
});
const Found = z.object({ found: z.string() });

/** Every text, JSON and byte of every schema's tables that could hold one, as `schema.table.column: digits`. */
export const pansInDatabase = async (database: Queryable): Promise<string[]> => {
  const columns = await database.rows(
    Column,
    `select table_schema as schema, table_name as table, column_name as column,
       data_type = 'bytea' as "isBytes"
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_type = 'BASE TABLE' and table_schema !~ '^(pg_|information_schema)'
       and data_type in ('text', 'character varying', 'json', 'jsonb', 'bytea', 'ARRAY')`,
  );
  const found: string[] = [];
  for (const { schema, table, column, isBytes } of columns) {
    const text = isBytes ? `encode("${column}", 'escape')` : `"${column}"::text`;
    const rows = await database.rows(
      Found,
      `select ${text} as found from "${schema}"."${table}" where "${column}" is not null`,
    );
    found.push(
      ...rows.flatMap((row) =>
        pansIn(row.found).map((digits) => `${schema}.${table}.${column}: ${digits}`),
      ),
    );
  }
  return found;
};
