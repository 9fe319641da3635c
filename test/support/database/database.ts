/** Gives a test file a database of its own on the run's PostgreSQL. */
import { randomBytes } from "node:crypto";
import type { Client } from "pg";
import { inject } from "vitest";
import { withClient } from "./connections.js";
import { checkAuditedEntities } from "./audited-entities.js";
import { checkToldEvents } from "./told-events.js";

export interface TestDatabase {
  /** Connection string of the new database. */
  readonly url: string;
  drop(): Promise<void>;
}

/** Any number, the same in all test processes: it makes them take turns over the template. */
const templateLock = 7_071_001;
const templateName = "template_migrated";

const withServer = async <T>(work: (client: Client) => Promise<T>): Promise<T> =>
  withClient({ connectionString: inject("postgresUrl") }, work);

const urlOf = (name: string): string => {
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${name}`;
  return url.href;
};

/** Made by the first who asks, under a name that shows only when all migrations are in. */
const ensureTemplate = async (client: Client): Promise<void> => {
  await client.query("select pg_advisory_lock($1)", [templateLock]);
  try {
    const found = await client.query("select 1 from pg_database where datname = $1", [
      templateName,
    ]);
    if (found.rowCount !== 0) return;
    const draft = `${templateName}_draft`;
    await client.query(`drop database if exists ${draft}`);
    await client.query(`create database ${draft}`);
    const { migrate } = await import("../../../shared/database/platform/migrate.js");
    await withClient({ connectionString: urlOf(draft) }, migrate);
    await client.query(`alter database ${draft} rename to ${templateName}`);
  } finally {
    await client.query("select pg_advisory_unlock($1)", [templateLock]);
  }
};

/**
 * A fresh database: empty, with the app's migrations applied, or as another one is to which nobody is
 * connected (a clone, made in milliseconds). What its test leaves in the outbox and in the audit is
 * held against the catalogue of events and the audited entities as it is dropped.
 */
export const createDatabase = async (options?: {
  readonly migrated?: boolean;
  readonly copyOf?: TestDatabase;
}): Promise<TestDatabase> => {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const migrated = options?.migrated === true;
  await withServer(async (client) => {
    if (migrated) await ensureTemplate(client);
    const original = options?.copyOf && new URL(options.copyOf.url).pathname.slice(1);
    const template = original ?? (migrated ? templateName : "template1");
    await client.query(`create database ${name} template ${template} strategy file_copy`);
  });
  return {
    url: urlOf(name),
    drop: () =>
      withServer(async (client) => {
        const found = await client.query("select 1 from pg_database where datname = $1", [name]);
        if (found.rowCount === 0) return;
        try {
          await withClient({ connectionString: urlOf(name) }, async (left) => {
            await checkToldEvents(left);
            await checkAuditedEntities(left);
          });
        } finally {
          await client.query(`drop database if exists ${name} with (force)`);
        }
      }),
  };
};
