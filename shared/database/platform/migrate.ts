/** Brings the schema `borsello` up to date: each migration file once, in order, one start at a time. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type pg from "pg";
import { isOutage, passOutage } from "../../platform/outage.js";

const folder = new URL("../migrations/", import.meta.url);

/** Any number will do, as long as every instance of the app takes the same. */
const migrationLock = 7_364_112;

interface Migration {
  readonly name: string;
  readonly text: string;
  readonly sha256: string;
}

const readMigrations = async (): Promise<Migration[]> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), "utf8");
      return { name, text, sha256: createHash("sha256").update(text).digest("hex") };
    }),
  );
};

const apply = async (client: pg.ClientBase, { name, text, sha256 }: Migration): Promise<void> => {
  await client.query("begin");
  try {
    await client.query(text);
    await client.query("insert into borsello.migration (name, sha256) values ($1, $2)", [
      name,
      sha256,
    ]);
    await client.query("commit");
  } catch (error) {
    // With its connection the transaction is gone, too.
    await client.query("rollback").catch(passOutage);
    // No fault of the migration's: a lost connection, a full disk, a deadlock with a call.
    if (isOutage(error)) throw error;
    throw new Error(`The migration ${name} failed.`, { cause: error });
  }
};

/** A migration that has landed is frozen: what it made is in databases, and would not be made anew. */
const changed = (name: string): Error =>
  new Error(
    `This database was made by another text of the migration ${name} than the one that is here now. ` +
      "Restore that file as it was released, and put the change into a new migration with the next number; " +
      "or, if nothing in this database is worth keeping, begin with an empty one (locally: another folder by --data).",
  );

/** Applies what is missing; a migration that changed after it was applied stops the start. */
export const migrate = async (client: pg.ClientBase): Promise<void> => {
  const migrations = await readMigrations();
  await client.query("select pg_advisory_lock($1)", [migrationLock]);
  try {
    await client.query("create schema if not exists borsello");
    await client.query(`create table if not exists borsello.migration (
      name text primary key, sha256 text not null, applied_at timestamptz not null default now())`);
    const { rows } = await client.query<{ name: string; sha256: string }>(
      "select name, sha256 from borsello.migration",
    );
    const applied = new Map(rows.map(({ name, sha256 }) => [name, sha256]));
    for (const migration of migrations) {
      const known = applied.get(migration.name);
      if (known === undefined) await apply(client, migration);
      else if (known !== migration.sha256) throw changed(migration.name);
    }
  } finally {
    // With its connection the lock is gone, too.
    await client.query("select pg_advisory_unlock($1)", [migrationLock]).catch(passOutage);
  }
};
