/** Two hosts on one hub under a long load: 67 of 480 signals were once heard early, and 132 of 720 with answers lost. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import {
  faultsUnder,
  startHostsInProcess,
  type HostInProcess,
} from "../../support/durable/two-engines.js";

let database: TestDatabase;
let hosts: HostInProcess[] = [];

beforeEach(async () => {
  database = await createDatabase();
});
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop();
  await database.drop();
});

const rounds = Array.from({ length: 5 }, (_, round) => ({
  seed: 100 + round,
  lostAnswers: 100 * round,
}));

test.each(rounds)("round $seed, with $lostAnswers answers lost", async (round) => {
  hosts = await startHostsInProcess(database.url, 25);
  const load = { entities: 40, signalsEach: 150, ...round };
  expect(await faultsUnder(hosts, load)).toEqual({ early: 0, repeated: 0, missing: 0 });
});
