/** The door to PostgreSQL: typed rows, transactions that repeat after a deadlock, outages by name. */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import {
  openDatabase,
  uniqueViolation,
  type Database,
} from "../../../shared/database/platform/database.js";
import { findPartner, findPartnerByClient } from "../../../shared/database/access/partners.js";
import { seedSandboxPartners } from "../../../shared/database/sandbox/partners.js";
import { DependencyUnavailableError } from "../../../shared/platform/dependency-unavailable.js";
import { createLogger } from "../../../shared/platform/logger.js";
import { tracing } from "../../../shared/platform/telemetry/tracing.js";
import { secretMatches } from "../../../shared/platform/secrets.js";
import { rowsOf } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";

const logger = createLogger("error", () => undefined);
const Value = z.object({ value: z.bigint() });

let created: TestDatabase;
let database: Database;

const open = (url: string): Database =>
  openDatabase({ connection: { kind: "url", url }, logger, prepare: seedSandboxPartners });

beforeAll(async () => {
  created = await createDatabase();
  database = open(created.url);
  await database.execute(
    "create table account (id int primary key, value bigint not null constraint value_positive check (value >= 0))",
  );
  await database.execute("insert into account values (1, 100), (2, 100)");
});

afterAll(async () => {
  await database.close();
  await created.drop();
});

const select = "select value from account where id = $1";

test("bigints come as bigints, whatever their size, and only from this pool", async () => {
  const row = await database.row(Value, "select 9223372036854775807::bigint as value");
  expect(row?.value).toBe(9_223_372_036_854_775_807n);
  expect(await rowsOf(created.url, "select 1::bigint as value")).toEqual([{ value: "1" }]);
});

test("a row that does not fit its schema is an error, not a wrong value", async () => {
  await expect(database.row(Value, "select 'text' as value")).rejects.toThrow(z.ZodError);
  expect(await database.row(Value, select, [99])).toBeUndefined();
});

test("a transaction that throws leaves nothing behind", async () => {
  const work = database.transaction(async (tx) => {
    await tx.execute("update account set value = 0 where id = 1");
    throw new Error("changed my mind");
  });
  await expect(work).rejects.toThrow("changed my mind");
  expect((await database.row(Value, select, [1]))?.value).toBe(100n);
});

test("a statement that failed holds none of its locks any more when its failure is told", async () => {
  // Its many parts make it slow to undo.
  await database.execute(
    `create function fail_slowly() returns void language plpgsql as $$
     begin
       perform pg_advisory_xact_lock(4711);
       for n in 10..1000 loop
         begin insert into account values (n, n); exception when others then null; end;
       end loop;
       raise exception 'failed slowly';
     end $$`,
  );
  const isFree = z.object({ isFree: z.boolean() });
  for (let round = 0; round < 60; round += 1) {
    await expect(database.execute("select fail_slowly()")).rejects.toThrow("failed slowly");
    const lock = `select pg_try_advisory_xact_lock(4711) as "isFree"`;
    expect(await database.row(isFree, lock)).toEqual({ isFree: true });
  }
});

test("two transactions that deadlock both happen in the end", async () => {
  const move = (from: number, to: number) =>
    database.transaction(async (tx) => {
      await tx.execute("update account set value = value - 10 where id = $1", [from]);
      await delay(100);
      await tx.execute("update account set value = value + 10 where id = $1", [to]);
    });
  await Promise.all([move(1, 2), move(2, 1)]);
  expect((await database.row(Value, select, [1]))?.value).toBe(100n);
  expect((await database.row(Value, select, [2]))?.value).toBe(100n);
});

test("a violated key is told by its name, another error is not", async () => {
  const again = database.execute("insert into account values (1, 1)");
  expect(uniqueViolation(await again.catch((error: unknown) => error))).toBe("account_pkey");
  const negative = database.execute("update account set value = -1 where id = 1");
  expect(uniqueViolation(await negative.catch((error: unknown) => error))).toBeUndefined();
});

test("commands and transactions nudge the relay, reads and failures do not", async () => {
  let nudges = 0;
  database.onCommit(() => void (nudges += 1));
  await database.row(Value, select, [1]);
  await database.transaction(async () => Promise.reject(new Error("no"))).catch(() => undefined);
  expect(nudges).toBe(0);
  await database.command(Value, "update account set value = 100 where id = 1 returning value");
  await database.transaction(async (tx) => tx.execute("select 1"));
  expect(nudges).toBe(2);
});

test("what a commit sets going is of no trace: it goes on after whoever committed", async () => {
  const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const seen: unknown[] = [];
  database.onCommit(() => void seen.push(tracing.current()));
  await tracing.within({ name: "a call", kind: "server", parent }, async () => {
    await database.command(Value, "update account set value = value where id = 1 returning value");
    await database.transaction(async (tx) => tx.execute("select 1"));
    seen.push(tracing.current());
  });
  expect(seen).toEqual([undefined, undefined, parent]);
});

test("a server that cannot be reached is an outage, and the next call tries again", async () => {
  const away = open("postgres://nobody@127.0.0.1:1/nothing");
  await expect(away.execute("select 1")).rejects.toThrow(DependencyUnavailableError);
  await expect(away.execute("select 1")).rejects.toThrow(DependencyUnavailableError);
  await away.close();
});

test("connections that the server ends are an outage for the call, not for the next one", async () => {
  const other = open(created.url);
  const waiting = other.execute("select pg_sleep(30)").catch((error: unknown) => error);
  const terminated = (): Promise<number> =>
    database.execute(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where query like 'select pg_sleep%' and datname = current_database() and state = 'active'`,
    );
  // The first look may come before the statement that is to be ended.
  await expect.poll(terminated).toBe(1);
  expect(await waiting).toBeInstanceOf(DependencyUnavailableError);
  expect(await other.execute("select 1")).toBe(1);
  await other.close();
});

test("several instances that start at once migrate and seed one after the other", async () => {
  const fresh = await createDatabase();
  await database.ready();
  const instances = [open(fresh.url), open(fresh.url), open(fresh.url)];
  await Promise.all(instances.map((instance) => instance.ready()));
  const Count = z.object({ count: z.bigint() });
  const [first] = instances;
  expect((await first?.row(Count, "select count(*) from borsello.partner"))?.count).toBe(5n);
  for (const instance of instances) await instance.close();
  await fresh.drop();
});

test("a migration that was changed after it was applied stops the start, and says what to do", async () => {
  const fresh = await createDatabase();
  const first = open(fresh.url);
  await first.execute(
    "update borsello.migration set sha256 = 'x' where name = '0001-platform.sql'",
  );
  await first.close();
  const second = open(fresh.url);
  await expect(second.ready()).rejects.toThrow(/0001-platform\.sql .*Restore that file/);
  await second.close();
  await fresh.drop();
});

test("seeded partners are found by client and key, with hashes that match and nothing in clear", async () => {
  const acme = await findPartnerByClient(database, "acme-client");
  expect(acme).toEqual({ ...(await findPartner(database, "acme")), formerAuthKeys: [] });
  if (acme?.clientSecretSalt == null || acme.clientSecretHash === null)
    throw new Error("acme has no secret");
  expect(secretMatches("acme-local-authkey", acme.authKeySalt, acme.authKeyHash)).toBe(true);
  expect(secretMatches("acme-local-secret", acme.clientSecretSalt, acme.clientSecretHash)).toBe(
    true,
  );
  const Text = z.object({ text: z.string() });
  const stored = await database.row(
    Text,
    "select string_agg(p::text, '') as text from borsello.partner p",
  );
  expect(stored?.text).not.toContain("local-");
});

test("seeding again changes nothing that was changed since", async () => {
  await database.execute(`update borsello.partner set roles = '{}' where partner_key = 'initech'`);
  const again = open(created.url);
  await again.ready();
  expect((await findPartner(again, "initech"))?.roles).toEqual([]);
  await again.close();
});

test("a database that is older than a partner, or its account, gets them; an account that was set stays", async () => {
  const fresh = await createDatabase();
  const first = open(fresh.url);
  await first.ready();
  for (const change of [
    "delete from borsello.dealer where partner_key = 'umbrella'",
    "delete from borsello.partner where partner_key = 'umbrella'",
    `update borsello.partner set settings = '{"onboarding": {"mandate": "none"}}'
     where partner_key = 'acme'`,
    `update borsello.partner set settings = '{"ibanVerification": {"validDays": 10}}'
     where partner_key = 'globex'`,
    `update borsello.partner set settings = '{"ibanVerification": {"destinationIban": "IT0"},
       "contract": {"template": "contract-template/own"}}'
     where partner_key = 'initech'`,
  ])
    await first.execute(change);
  await first.close();
  const again = open(fresh.url);
  const settingsOf = async (partnerKey: string) => (await findPartner(again, partnerKey))?.settings;
  const accountOf = async (partnerKey: string) =>
    (await settingsOf(partnerKey))?.ibanVerification.destinationIban;
  expect(await accountOf("umbrella")).toBe("IT96N0999903200UMBRELLA0001");
  expect(await accountOf("acme")).toBe("IT83X0999903200ACME00000001");
  expect((await settingsOf("acme"))?.onboarding.mandate).toBe("none");
  expect((await settingsOf("globex"))?.ibanVerification).toMatchObject({
    destinationIban: "IT42P0999903200GLOBEX000001",
    validDays: 10,
  });
  expect(await accountOf("initech")).toBe("IT0");
  expect((await settingsOf("acme"))?.creditor?.identifier).toBe("IT91ZZZACME000000000001");
  const templateOf = async (partnerKey: string) =>
    (await settingsOf(partnerKey))?.contract.template;
  expect(await templateOf("acme")).toBe("contract-template/sandbox/acme");
  expect(await templateOf("initech")).toBe("contract-template/own");
  await again.close();
  await fresh.drop();
});

test("a session gives its locks back, and the connection's time limit as it was", async () => {
  const url = new URL(created.url);
  url.searchParams.set("options", "-c idle_session_timeout=5min");
  const one = openDatabase({ connection: { kind: "url", url: url.href }, logger, poolSize: 1 });
  const Held = z.object({ limit: z.string(), locks: z.int() });
  const held = `select current_setting('idle_session_timeout') as limit, (
    select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
  ) as locks`;
  const within = await one.session(async (session) => {
    await session.execute("select pg_advisory_lock(7, 7)");
    return session.row(Held, held);
  });
  expect(within).toEqual({ limit: "1min", locks: 1 });
  expect(await one.row(Held, held)).toEqual({ limit: "5min", locks: 0 });
  await one.close();
});
