/** A host that is stopped in good order: what it had begun ends and is stored, what it had not begun waits. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { startDurableHost, type DurableHost } from "../../support/durable/durable-host.js";

let database: TestDatabase;
let folder: string;
let traceFile: string;
const hosts: DurableHost[] = [];

beforeAll(async () => {
  database = await createDatabase();
  folder = await mkdtemp(join(tmpdir(), "borsello-stop-"));
  traceFile = join(folder, "trace");
});
afterAll(async () => {
  for (const host of hosts) await host.kill();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const startHost = async (deedMs: number): Promise<DurableHost> => {
  const settings = { TRACE_FILE: traceFile, DEED_MS: String(deedMs) };
  const host = await startDurableHost(database.url, settings, { app: "faults" });
  hosts.push(host);
  return host;
};

/** The keys of the deeds in the order in which they were begun. */
const deeds = async (): Promise<string[]> => {
  const text = await readFile(traceFile, "utf8").catch(() => "");
  return [...text.matchAll(/"key":"([^"]+)"/gu)].map(([, key = ""]) => key);
};

test("a stop waits for the activities under way, stores their results, and begins none", async () => {
  const ids = ["chain-1", "chain-2", "fan-1"];
  const first = await startHost(700);
  for (const id of ids) await first.start(id.split("-")[0] ?? "", id);
  await expect.poll(async () => (await deeds()).length, { interval: 5 }).toBe(7);
  await first.stop();
  expect(await deeds()).toHaveLength(7);

  const second = await startHost(5);
  for (const id of ids) expect((await second.until(id)).runtimeStatus).toBe("Completed");
  const begun = await deeds();
  expect(begun).toHaveLength(new Set(begun).size);
  expect(begun).toHaveLength(4 + 4 + 6);
});

test("a call in work at a stop reaches its orchestration to the end", async () => {
  const host = await startDurableHost(database.url);
  hosts.push(host);
  const call = fetch(`${host.url}/api/startAndWait/timer`, {
    method: "POST",
    body: JSON.stringify({ input: 500, timeoutMs: 10_000 }),
  });
  await expect
    .poll(async () => (await host.api("GET", "instances?runtimeStatus=Running")).json(), {
      interval: 5,
    })
    .toHaveLength(1);
  await host.stop();
  const answer = await call;
  expect([answer.status, await answer.json()]).toEqual([200, expect.any(Number)]);
});
