/** What survives: killed hosts, hosts that come back from the dead, and changed code. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { QueryResultRow } from "pg";
import { rowsOf } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { startDurableHost, type DurableHost } from "../../support/durable/durable-host.js";

let database: TestDatabase;
let hosts: DurableHost[];

beforeEach(async () => {
  database = await createDatabase();
  hosts = [];
});
afterEach(async () => {
  for (const host of hosts) await host.kill();
  await database.drop();
});

const startHost = async (settings: Record<string, string> = {}): Promise<DurableHost> => {
  const host = await startDurableHost(database.url, settings);
  hosts.push(host);
  return host;
};

const query = async <Row extends QueryResultRow>(text: string): Promise<Row[]> =>
  rowsOf<Row>(database.url, text);

const pause = async (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

test("a killed host's successor goes on at once, with timers that fell due meanwhile", async () => {
  const first = await startHost();
  await first.start("timer", "overdue", 300);
  await first.start("timerOrEvent", "far", 3_600_000);
  await first.start("sequence", "acknowledged", 3);
  await first.kill();
  await pause(400);
  const second = await startHost();
  expect((await second.until("overdue")).runtimeStatus).toBe("Completed");
  expect((await second.until("acknowledged")).output).toEqual([9, 81]);
  await second.raise("far", "on");
  expect((await second.until("far")).output).toEqual({ event: "on" });
});

test("mixed orchestrations give exact results though the host is killed again and again", async () => {
  const count = 30;
  const ids = Array.from({ length: count }, (_, n) => `mixed-${n}`);
  let host = await startHost();
  await Promise.all(ids.map((id, n) => host.start("mixed", id, n)));
  for (const waitMs of [60, 250, 400]) {
    await pause(waitMs);
    await host.kill();
    host = await startHost();
  }
  await Promise.all(ids.map((id, n) => host.raise(id, n)));
  await host.kill();
  host = await startHost();
  for (const [n, id] of ids.entries())
    expect((await host.until(id)).output).toEqual({
      squares: [1, 4, 9, 16],
      child: n * n,
      tried: true,
      event: n,
      called: null,
      own: n,
    });
  const total = await host.api("GET", "entities/counter/mixed");
  expect(await total.json()).toBe((count * (count - 1)) / 2);
  expect(await query("select * from durable.message")).toEqual([]);
  expect(await query("select * from durable.activity")).toEqual([]);
}, 90_000);

test("a host that was taken for dead writes nothing when it comes back", async () => {
  const zombie = await startHost();
  await zombie.start("sequence", "warm", 1);
  await zombie.until("warm");
  const ids = Array.from({ length: 20 }, (_, n) => `fenced-${n}`);
  await Promise.all(ids.map((id, n) => zombie.start("mixed", id, n)));
  zombie.process.kill("SIGSTOP");
  await query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  const heir = await startHost();
  await Promise.all(ids.map((id, n) => heir.raise(id, n)));
  for (const id of ids.slice(0, 10)) await heir.until(id);
  zombie.process.kill("SIGCONT");
  for (const [n, id] of ids.entries())
    expect((await heir.until(id)).output).toMatchObject({ child: n * n, event: n, own: n });
  expect((await zombie.run("sequence", "reborn", 2)).output).toEqual([4, 16]);
  const total = await heir.api("GET", "entities/counter/mixed");
  expect(await total.json()).toBe(190);
  expect(await query("select * from durable.message")).toEqual([]);
}, 60_000);

test("two hosts on one database pass messages on to the owner", async () => {
  const owner = await startHost();
  const other = await startHost();
  await owner.start("events", "owned", 2);
  await other.raise("owned", "from the other");
  await owner.raise("owned", "from the owner");
  const { output } = await other.until("owned");
  expect(new Set(output as string[])).toEqual(new Set(["from the other", "from the owner"]));
});

const changes: [string, string, RegExp][] = [
  ["renamed", "a step is another one now", /event 3 of the history.*'echo'.*'square'/su],
  ["shortened", "a step is gone", /event 3 of the history.*'echo'.*no longer asks/su],
  ["longer", "a step is new", /upon event 5 of the history.*'echo'.*nothing was asked/su],
];

test.each(changes)("changed code is found out: %s, %s", async (code, _what, text) => {
  const before = await startHost();
  await before.start("changing", "changing");
  await expect
    .poll(async () => (await before.status("changing", "showHistory=true")).historyEvents?.length)
    .toBe(2);
  await before.kill();
  const after = await startHost({ CODE: code });
  await after.raise("changing", 1);
  const { runtimeStatus, output } = await after.until("changing");
  expect(runtimeStatus).toBe("Failed");
  expect(output).toMatch(/^Non-Deterministic workflow detected: /u);
  expect(output).toMatch(text);
});

test("rewound to code that is right again, an orchestration gets its timers and open activities back", async () => {
  const before = await startHost();
  await before.start("changingAtWork", "at-work");
  await before.until("at-work", ["Running"]);
  await before.kill();
  const wrong = await startHost({ CODE: "renamed" });
  await wrong.raise("at-work", "on");
  expect((await wrong.until("at-work")).runtimeStatus).toBe("Failed");
  await wrong.kill();
  const right = await startHost();
  expect((await right.api("POST", "instances/at-work/rewind")).status).toBe(202);
  expect((await right.until("at-work")).output).toEqual(["paused", 1, "on"]);
  expect(await query("select * from durable.message")).toEqual([]);
});
