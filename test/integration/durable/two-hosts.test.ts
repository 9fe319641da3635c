/** Two hosts on one hub: what they acknowledge is taken once, in its order, soon, whoever owns the receiver. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import {
  faultsUnder,
  startHostsInProcess,
  type HostInProcess,
  type Load,
} from "../../support/durable/two-engines.js";

let database: TestDatabase;
let hosts: HostInProcess[];

beforeEach(async () => {
  database = await createDatabase();
  hosts = [];
});
afterEach(async () => {
  for (const host of hosts) await host.stop();
  await database.drop();
});

const judge = async (load: Load, sweepMs: number): Promise<void> => {
  hosts = await startHostsInProcess(database.url, sweepMs);
  expect(await faultsUnder(hosts, load)).toEqual({ early: 0, repeated: 0, missing: 0 });
};

test("signals are heard in the order in which they were acknowledged, without waiting for a sweep", async () => {
  // Sweeps that come too late for the test: what is not announced is never heard.
  await judge({ entities: 12, signalsEach: 20, lostAnswers: 0, seed: 6 }, 600_000);
});

test("signals are heard once, and in order, though answers to writes are lost", async () => {
  await judge({ entities: 12, signalsEach: 20, lostAnswers: 8, seed: 7 }, 25);
});
