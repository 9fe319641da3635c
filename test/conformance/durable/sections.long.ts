/** Under load, for minutes: no lock stays with an orchestration that ended while its request travelled. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import type { DurableHost } from "../../support/durable/durable-host.js";
import {
  hurriedSections,
  lockedBoxes,
  startHurried,
  startSectionsHost,
} from "../../support/durable/hurried-sections.js";

let database: TestDatabase;
let host: DurableHost;

beforeEach(async () => {
  database = await createDatabase();
  host = await startSectionsHost(database.url);
});
afterEach(async () => {
  await host.kill();
  await database.drop();
});

const rounds = 20;
const perRound = 200;

test("of four thousand that end while they ask for four, none keeps a lock", async () => {
  for (let round = 0; round < rounds; round++) {
    const sections = hurriedSections(`round-${round}`, perRound);
    await Promise.all(sections.map((section) => startHurried(host, section)));
    for (const { id } of sections) await host.until(id);
  }
  const locked = await lockedBoxes(database.url);
  console.info(`Locks left after ${rounds * perRound} sections that ended early: ${locked.length}`);
  expect(locked).toEqual([]);
});

test("nor of a thousand whose host is killed twenty times", async () => {
  const sections = Array.from({ length: rounds }, (_, n) => hurriedSections(`kill-${n}`, 50));
  for (const some of sections) {
    const begun = some.map(async (one) => startHurried(host, one).catch(() => undefined));
    await Promise.race(begun.slice(25));
    await host.kill();
    await Promise.all(begun);
    host = await startSectionsHost(database.url);
  }
  for (const { id, end } of sections.flat()) {
    if (end === "terminated") await host.api("POST", `instances/${id}/terminate`);
    if ((await host.api("GET", `instances/${id}`)).status !== 404) await host.until(id);
  }
  const locked = await lockedBoxes(database.url);
  console.info(`Locks left after ${rounds} deaths of the host: ${locked.length}`);
  expect(locked).toEqual([]);
});
