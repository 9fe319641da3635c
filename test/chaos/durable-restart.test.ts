/** Three hundred orchestrations in flight, and the host is killed: no stored result is asked for twice. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDatabase, type TestDatabase } from "../support/database/database.js";
import type { InstanceStatus } from "../support/durable/durable-host.js";
import { HostLives } from "../support/durable/host-lives.js";

const count = 300;
const deedsEach = 4;
/** Asking for all histories would take longer than the load itself. */
const sampled = 40;
const ids = Array.from({ length: count }, (_, n) => `chain-${n}`);

let database: TestDatabase;
let lives: HostLives;
let folder: string;

beforeEach(async () => {
  database = await createDatabase();
  folder = await mkdtemp(join(tmpdir(), "borsello-restart-"));
  await writeFile(join(folder, "trace"), "");
  await writeFile(join(folder, "hold"), "");
  const settings = {
    TRACE_FILE: join(folder, "trace"),
    DEED_MS: "150",
    // None comes further than this before the kill, however late it is.
    HELD_STEP: "3",
    HOLD_FILE: join(folder, "hold"),
  };
  lives = new HostLives(database.url, "faults", settings);
});
afterEach(async () => {
  await lives.stop();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** How often each step has run, by the orchestration's id and the step's number. */
const countRuns = async (): Promise<Map<string, number>> => {
  const runs = new Map<string, number>();
  for (const line of (await readFile(join(folder, "trace"), "utf8")).split("\n")) {
    if (line === "") continue;
    const { key } = JSON.parse(line) as { key: string };
    runs.set(key, (runs.get(key) ?? 0) + 1);
  }
  return runs;
};

const statusWithHistory = async (id: string): Promise<InstanceStatus> =>
  lives.call((host) => host.status(id, "showHistory=true"));

/** The steps whose results the engine shows, and so has stored. */
const storedSteps = async (): Promise<string[]> => {
  const perInstance = await Promise.all(
    ids.slice(0, sampled).map(async (id) => {
      const { historyEvents = [] } = await statusWithHistory(id);
      const done = historyEvents.filter(({ EventType: type }) => type === "TaskCompleted");
      return done.map((_, index) => `${id}/${index + 1}`);
    }),
  );
  return perInstance.flat();
};

test("after a kill each orchestration redoes one activity at most, and none whose result was stored", async () => {
  const first = await lives.start();
  await Promise.all(ids.map((id) => lives.call((host) => host.start("chain", id))));
  await expect.poll(async () => (await countRuns()).size).toBeGreaterThan(count);
  const stored = await storedSteps();
  await first?.kill();
  const runsBefore = await countRuns();
  await rm(join(folder, "hold"));
  await lives.start();
  const ends = await Promise.all(ids.map((id) => lives.call((host) => host.until(id))));
  const runs = await countRuns();

  expect(new Set(ends.map(({ runtimeStatus }) => runtimeStatus))).toEqual(new Set(["Completed"]));
  expect(stored.length).toBeGreaterThan(0);
  expect(runsBefore.size).toBeLessThan(count * deedsEach);
  expect(stored.filter((step) => runs.get(step) !== 1)).toEqual([]);
  const redone = ids.map((id) =>
    [1, 2, 3, 4].reduce((sum, step) => sum + (runs.get(`${id}/${step}`) ?? 0) - 1, 0),
  );
  expect(Math.min(...redone)).toBe(0);
  expect(Math.max(...redone)).toBeLessThanOrEqual(1);
}, 60_000);
