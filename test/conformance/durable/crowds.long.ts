/** Crowds that sleep: they leave memory, and the few that are wanted are found among them. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { connect } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { startDurableHost, type DurableHost } from "../../support/durable/durable-host.js";

let database: TestDatabase;
let host: DurableHost;

beforeEach(async () => {
  database = await createDatabase();
});
afterEach(async () => {
  await host.kill();
  await database.drop();
});

/** Bytes in use once the garbage is collected. */
const heapUsed = async (): Promise<number> =>
  Number(await (await fetch(`${host.url}/api/heap`)).text());

/** Starts so many that wait for an event, and waits until all of them do. */
const startWaiting = async (from: number, to: number): Promise<void> => {
  for (let next = from; next < to; next += 50)
    await Promise.all(
      Array.from({ length: 50 }, async (_, n) => host.start("letters", `letters-${next + n}`)),
    );
  await host.until(`letters-${to - 1}`, ["Running"]);
};

test("ten thousand that wait take hardly more memory than one thousand, and each is found when wanted", async () => {
  host = await startDurableHost(
    database.url,
    {},
    { app: "faults", nodeArguments: ["--expose-gc"] },
  );
  await startWaiting(0, 50);
  const few = await heapUsed();
  await startWaiting(50, 1_000);
  const thousand = (await heapUsed()) - few;
  await startWaiting(1_000, 10_000);
  const tenThousand = (await heapUsed()) - few;
  expect(thousand).toBeGreaterThan(0);
  expect(tenThousand).toBeLessThan(3 * thousand);
  for (const id of ["letters-0", "letters-5000", "letters-9999"]) {
    for (const letter of [1, 2, 3, 4]) await host.raise(id, letter, "letter");
    expect((await host.until(id)).output).toEqual([[1, 2, 3, 4], expect.any(String)]);
  }
});

/** Copies of an instance that sleeps, with its history and its timer. */
const clone = async (id: string, count: number): Promise<void> => {
  const client = await connect(database.url);
  const copies: readonly (readonly [string, string])[] = [
    ["instance", `jsonb_build_object('id', $1 || '-' || n, 'key', -n)`],
    ["history", `jsonb_build_object('key', -n)`],
    ["message", `jsonb_build_object('instance_id', $1 || '-' || n, 'id', -n)`],
  ];
  const original: Readonly<Record<string, string>> = {
    instance: "t.id = $1",
    history: "t.key = (select key from durable.instance where id = $1)",
    message: "t.instance_id = $1",
  };
  for (const [table, changes] of copies)
    await client.query(
      `insert into durable.${table} select (jsonb_populate_record(t, ${changes})).*
       from durable.${table} t, generate_series(1, $2::int) n where ${original[table] ?? ""}`,
      [id, count],
    );
  await client.query("analyze durable.instance, durable.history, durable.message");
  await client.end();
};

test("a hundred thousand sleeping timers: a host starts, and the one that is due fires", async () => {
  host = await startDurableHost(database.url);
  await host.start("timerOrEvent", "sleeper", 365 * 24 * 3_600_000);
  await host.until("sleeper", ["Running"]);
  await host.start("timer", "due", 1_500);
  await host.until("due", ["Running"]);
  await host.kill();
  await clone("sleeper", 100_000);
  host = await startDurableHost(database.url);
  expect((await host.until("due")).runtimeStatus).toBe("Completed");
  await host.raise("sleeper-77777", "awake");
  expect((await host.until("sleeper-77777")).output).toEqual({ event: "awake" });
  expect((await host.run("sequence", "meanwhile", 3)).output).toEqual([9, 81]);
});
