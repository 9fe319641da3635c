/** What cannot be read is set aside alone: everything else goes on, and a person sees it and can put it back. */
import type { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPool } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { startHostInProcess, type HostInProcess } from "../../support/durable/two-engines.js";

let database: TestDatabase;
let pool: Pool;
let host: HostInProcess;
let nextId = 1;

beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url);
  host = await startHostInProcess(database.url, 30);
});
afterAll(async () => {
  await host.stop();
  await pool.end();
  await database.drop();
});

const tell = async (key: string, value: string): Promise<void> => {
  expect((await host.ask("POST", `entities/list/${key}?op=add`, value)).status).toBe(202);
};

const heard = async (key: string): Promise<unknown> => {
  const { body } = await host.ask("GET", `entities/list/${key}`);
  return body === "" ? [] : JSON.parse(body);
};

/** A message that another host leaves in the database; it tells the owner, where there is one. */
const leave = async (key: string, body: string, dueAt?: number): Promise<number> => {
  const id = nextId++;
  await pool.query(
    `insert into durable.message (id, hub, instance_id, due_at, type, body)
     values ($1, 'hub', $2, $3, 'operation', $4)`,
    [id, `@list@${key}`, dueAt, body],
  );
  await pool.query(
    `select pg_notify('durable', json_build_object('hub', hub, 'owner', owner, 'id', id)::text)
     from durable.instance where id = $1`,
    [`@list@${key}`],
  );
  return id;
};

const operation = (input: string): string =>
  JSON.stringify({ type: "operation", id: "", operation: "add", input: JSON.stringify(input) });

interface SetAside {
  readonly messages: readonly { readonly id: string; readonly reason: string }[];
  readonly instances: readonly { readonly instanceId: string; readonly reason: string }[];
}

const setAside = async (): Promise<SetAside> =>
  JSON.parse((await host.ask("GET", "setAside")).body) as SetAside;

const idsAside = async (): Promise<string[]> => (await setAside()).messages.map(({ id }) => id);

const spoiled: [string, string, string][] = [
  ["is no JSON", "torn", '{"type":"oper'],
  ["is of a type that nobody knows", "unknown", '{"type":"wish"}'],
];

test.each(spoiled)(
  "a message that %s is set aside, and its entity goes on",
  async (_what, key, body) => {
    await tell(key, "before");
    await expect.poll(() => heard(key)).toEqual(["before"]);
    const id = await leave(key, body);
    await leave(key, operation("behind"));
    await expect.poll(() => heard(key)).toEqual(["before", "behind"]);
    expect(await idsAside()).toContain(String(id));
    expect(host.engine.setAside).toBeGreaterThan(0);
  },
);

test("an operation whose effect cannot be stored is set aside, and those around it are done", async () => {
  const signal = (op: string, value: string): Promise<{ status: number }> =>
    host.ask("POST", `entities/list/poisoned?op=${op}`, value);
  await signal("add", "first");
  const before = new Set(await idsAside());
  await Promise.all([
    signal("add", "a"),
    signal("poison", "b"),
    signal("add", "c"),
    signal("poison", "d"),
    signal("add", "e"),
  ]);
  await expect.poll(() => heard("poisoned")).toEqual(["first", "a", "c", "e"]);
  const isNew = ({ id }: { readonly id: string }): boolean => !before.has(id);
  await expect
    .poll(async () => (await setAside()).messages.filter(isNew).map(({ reason }) => reason))
    .toEqual([expect.stringMatching(/0x00/u), expect.stringMatching(/0x00/u)]);
});

test("a call whose effect cannot be stored is answered with the error", async () => {
  // Nobody is there to read the answer, so that it does not stay.
  await pool.query(
    `create table answers (body text);
     create function keep_answer() returns trigger language plpgsql as
       $$ begin insert into answers values (new.body); return new; end $$;
     create trigger keep_answer before insert on durable.message
       for each row when (new.instance_id = 'asker') execute function keep_answer()`,
  );
  await tell("called", "before");
  const call = { type: "operation", id: "request", operation: "poison", parent: "asker" };
  await leave("called", JSON.stringify({ ...call, parentExecution: "e" }));
  await leave("called", operation("behind"));
  await expect.poll(() => heard("called")).toEqual(["before", "behind"]);
  const { rows } = await pool.query<{ body: string }>("select body from answers");
  expect(rows.map(({ body }) => body)).toEqual([expect.stringMatching(/exceptionType.*Error/u)]);
});

test("a message is put back once it has been mended, and thrown away once", async () => {
  await tell("mended", "before");
  const id = await leave("mended", "{");
  const other = await leave("mended", "[]");
  await expect.poll(idsAside).toEqual(expect.arrayContaining([String(id), String(other)]));
  await pool.query("update durable.set_aside set body = $2 where id = $1", [id, operation("back")]);
  expect((await host.ask("POST", `setAside/${id}`)).status).toBe(202);
  await expect.poll(() => heard("mended")).toEqual(["before", "back"]);
  expect((await host.ask("POST", `setAside/${id}`)).status).toBe(404);
  expect((await host.ask("DELETE", `setAside/${other}`)).status).toBe(204);
  expect((await host.ask("DELETE", `setAside/${other}`)).status).toBe(404);
  expect((await host.ask("POST", "setAside/1x")).status).toBe(404);
});

const insertEntity = async (key: string): Promise<void> => {
  await pool.query(
    `insert into durable.instance (hub, id, kind, execution_id, name, status, created_at, updated_at)
     values ('hub', $1, 'entity', 'e', $1, 'Running', now(), now())`,
    [`@list@${key}`],
  );
};

const entityKey = (key: string): string =>
  `(select key from durable.instance where id = '@list@${key}')`;

test("timers and instances that cannot be read are left alone, and everything else goes on", async () => {
  await host.stop();
  for (const key of ["timed", "history", "lock", "sound"]) await insertEntity(key);
  const id = await leave("timed", "{", Date.now());
  await leave("timed", operation("later"), Date.now() + 1);
  await pool.query(
    `insert into durable.history (key, turn, events) values (${entityKey("history")}, 0, '[{')`,
  );
  await pool.query("update durable.instance set entity_lock = '{' where id = '@list@lock'");
  for (const key of ["history", "lock", "sound"]) await leave(key, operation("held"));

  host = await startHostInProcess(database.url, 30);
  await expect.poll(() => heard("sound")).toEqual(["held"]);
  await expect.poll(() => heard("timed")).toEqual(["later"]);
  expect(await idsAside()).toContain(String(id));
  const instances = async (): Promise<string[]> =>
    (await setAside()).instances.map(({ instanceId }) => instanceId).sort();
  await expect.poll(instances).toEqual(["@list@history", "@list@lock"]);

  await pool.query(`delete from durable.history where key = ${entityKey("history")}`);
  await pool.query("update durable.instance set entity_lock = null where id = '@list@lock'");
  for (const key of ["history", "lock"]) await expect.poll(() => heard(key)).toEqual(["held"]);
  await expect.poll(instances).toEqual([]);
});
