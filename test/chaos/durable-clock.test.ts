/** Clocks that jump: the sandbox's by days, the machine's own backwards. */
import type { Client } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connect } from "../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../support/database/database.js";
import { startDurableHost, type DurableHost } from "../support/durable/durable-host.js";

const dayMs = 24 * 3_600_000;

let database: TestDatabase;
let client: Client;
let host: DurableHost | undefined;

beforeEach(async () => {
  database = await createDatabase();
  client = await connect(database.url);
  await client.query("create table sandbox_clock as select 0::float8 as offset_ms");
});
afterEach(async () => {
  await host?.kill();
  await client.end();
  await database.drop();
});

const startHost = async (): Promise<DurableHost> =>
  startDurableHost(database.url, {
    SANDBOX_CLOCK_QUERY: "select offset_ms from sandbox_clock",
  });

/** Resolves to how many instances have moved. */
const moveClock = async ({ url }: DurableHost, byMs: number): Promise<number> => {
  await client.query("update sandbox_clock set offset_ms = offset_ms + $1", [byMs]);
  const response = await fetch(`${url}/admin/host/clock`, { method: "POST" });
  return ((await response.json()) as { flowsRun: number }).flowsRun;
};

test("a jump of days fires exactly the timers that it passes", async () => {
  host = await startHost();
  for (const days of [1, 7, 40]) await host.start("timerOrEvent", `after-${days}`, days * dayMs);
  for (const days of [1, 7, 40]) await host.until(`after-${days}`, ["Running"]);
  expect(await moveClock(host, 8 * dayMs)).toBe(2);
  expect((await host.status("after-1")).output).toBe("timer");
  expect((await host.status("after-7")).output).toBe("timer");
  expect((await host.status("after-40")).runtimeStatus).toBe("Running");
  await host.raise("after-40", "in time");
  expect((await host.until("after-40")).output).toEqual({ event: "in time" });
});

test("a jump while nobody was there fires timers at the next start", async () => {
  const first = await startHost();
  await first.start("timerOrEvent", "asleep", 3 * dayMs);
  await first.until("asleep", ["Running"]);
  await first.kill();
  await client.query("update sandbox_clock set offset_ms = $1", [4 * dayMs]);
  host = await startHost();
  expect((await host.until("asleep")).output).toBe("timer");
});

test("a load goes on through jumps, and each timer waits its full time in the eyes of its code", async () => {
  host = await startHost();
  for (let n = 0; n < 20; n += 1) await host.start("timer", `nap-${n}`, n * dayMs);
  const ids = Array.from({ length: 20 }, (_, n) => `loop-${n}`);
  for (const id of ids) await host.start("loop", id, { left: 20, sum: 0 });
  for (let n = 0; n < 20; n += 1) await moveClock(host, dayMs);
  for (let n = 0; n < 20; n += 1)
    expect((await host.until(`nap-${n}`)).output).toBeGreaterThanOrEqual(n * dayMs);
  for (const id of ids) expect((await host.until(id)).output).toBe(2870);
});

test("the machine's clock goes back a day: histories do not, and all goes on", async () => {
  host = await startDurableHost(
    database.url,
    { WALL_JUMP_MS: String(-dayMs) },
    { nodeArguments: ["--import", "./test/support/durable/wall-clock.mjs"] },
  );
  await host.start("events", "open", 2);
  await host.start("timer", "short", 300);
  await host.raise("open", 1);
  await host.until("short", ["Running"]);
  host.process.kill("SIGUSR2");
  await host.raise("open", 2);
  expect((await host.until("open")).output).toEqual([1, 2]);
  const { historyEvents = [] } = await host.status("open", "showHistory=true");
  const times = historyEvents.map(({ Timestamp }) => Date.parse(String(Timestamp)));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect((await host.run("sequence", "meanwhile", 3)).output).toEqual([9, 81]);
  host.process.kill("SIGUSR2");
  expect((await host.until("short")).output).toBeGreaterThanOrEqual(300);
}, 60_000);
