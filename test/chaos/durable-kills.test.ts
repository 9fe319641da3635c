/** The durable engine's host dies at its durable writes, in activities and at random: nothing shows. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../support/database/database.js";
import { drawDeaths } from "../support/durable/deaths.js";
import { openFaultLoad, type FaultLoad } from "../support/durable/fault-load.js";

let database: TestDatabase;
let load: FaultLoad;

beforeEach(async () => {
  database = await createDatabase();
  load = await openFaultLoad(database.url);
});
afterEach(async () => {
  await load.stop();
  await database.drop();
});

test("a mixed load ends as if nobody had died, through six deaths", async () => {
  for (const death of drawDeaths(6, 7)) {
    load.beginRound();
    await load.live(death);
  }
  await load.lives.start();
  const { orchestrations } = await load.judge();
  expect(orchestrations).toBe(72);
  expect(load.lives.struck).toBeGreaterThan(0);
}, 120_000);
