/** A database as an earlier version of the platform left it: the first migrations alone, and rows of that time. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { connect } from "./connections.js";
import { createDatabase, type TestDatabase } from "./database.js";

const folder = new URL("../../../shared/database/migrations/", import.meta.url);

/** Its migrations are those before `number`; `rows` are statements that it executed. */
export const createOlderDatabase = async (number: string, rows: string): Promise<TestDatabase> => {
  const created = await createDatabase();
  const client = await connect(created.url);
  await client.query(`create schema borsello; create table borsello.migration (name text primary key,
    sha256 text not null, applied_at timestamptz not null default now())`);
  const names = (await readdir(folder)).filter((name) => name < number && name.endsWith(".sql"));
  for (const name of names.toSorted()) {
    const text = await readFile(new URL(name, folder), "utf8");
    await client.query(text);
    const sha256 = createHash("sha256").update(text).digest("hex");
    await client.query("insert into borsello.migration values ($1, $2)", [name, sha256]);
  }
  await client.query(rows);
  await client.end();
  return created;
};
