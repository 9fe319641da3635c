/** A hundred deaths of the durable engine's host under a mixed load: nothing shows in the end. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../support/database/database.js";
import { drawDeaths } from "../support/durable/deaths.js";
import { openFaultLoad, type FaultLoad } from "../support/durable/fault-load.js";

const deaths = 100;
const seed = Number(process.env["SEED"] ?? "1");

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

test(`a mixed load ends as if nobody had died, through a hundred deaths (seed ${seed})`, async () => {
  for (const [life, death] of drawDeaths(deaths, seed).entries()) {
    // Lives are short: with a round in each, work would pile up faster than it gets done.
    if (life % 2 === 0) load.beginRound();
    await load.live(death);
  }
  await load.lives.start();
  const began = performance.now();
  const report = await load.judge();
  const seconds = (performance.now() - began) / 1_000;
  console.info(JSON.stringify({ deaths, struck: load.lives.struck, ...report, seconds }));
  expect(load.lives.struck).toBeGreaterThan(deaths / 10);
});
