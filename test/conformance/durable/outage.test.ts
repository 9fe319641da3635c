/** A database that is away: calls hear of it in time, and go on as soon as it is back. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { DatabaseProxy } from "../../support/database/database-proxy.js";
import { startDurableHost, type DurableHost } from "../../support/durable/durable-host.js";

let database: TestDatabase;
let proxy: DatabaseProxy;
let host: DurableHost;

beforeAll(async () => {
  database = await createDatabase();
  proxy = await DatabaseProxy.before(database.url);
  host = await startDurableHost(proxy.url);
});
afterEach(() => {
  proxy.restore();
});
afterAll(async () => {
  await host.kill();
  await proxy.close();
  await database.drop();
});

const ways: [string, () => void][] = [
  ["refuses connections", () => proxy.refuse()],
  ["answers nothing", () => proxy.silence()],
];

test.each(ways)("a database that %s makes every call 503, to be tried again", async (way, cut) => {
  const id = way.replaceAll(" ", "-");
  await host.start("events", id, 1);
  await host.until(id, ["Running"]);
  cut();
  const byLibrary = host.client("start", { name: "sequence", instanceId: `${id}-library` });
  const answers = await Promise.all([
    host.api("POST", `orchestrators/sequence/${id}-new`, 2),
    host.api("POST", `orchestrators/sequence/${id}-waited?timeout=0.1`, 2),
    host.api("POST", "entities/counter/outage?op=add", 1),
    host.api("POST", `instances/${id}/raiseEvent/go`, "lost"),
    host.api("GET", `instances/${id}?showHistory=true`),
    host.api("GET", "instances"),
    host.api("DELETE", `instances/${id}`),
  ]);
  for (const answer of answers) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/u);
  }
  const { error } = await byLibrary;
  expect(error).toContain("503");
});

test("what was refused with 503 while no connection was to be had has not happened", async () => {
  proxy.refuse();
  expect((await host.api("POST", "orchestrators/events/unheard", 1)).status).toBe(503);
  proxy.restore();
  // The next call's write comes after whatever might have been waiting.
  await expect
    .poll(async () => (await host.api("POST", "orchestrators/sequence/heard", 2)).status)
    .toBe(202);
  expect((await host.until("heard")).output).toEqual([4, 16]);
  await sleep(100);
  expect((await host.api("GET", "instances/unheard")).status).toBe(404);
});
