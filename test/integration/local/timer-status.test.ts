/** The host's memory of its timers, where the database refuses its tables. */
import type { Pool } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { timerStatusStore } from "../../../local/host/timers/status.js";
import { openPool } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";

let database: TestDatabase;
let pool: Pool;

beforeEach(async () => {
  database = await createDatabase();
  pool = openPool(database.url, 1);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

test("a refused schema leaves no connection behind on which nothing works any more", async () => {
  await pool.query("create schema host; create type host.timer_status as enum ('other')");
  await expect(timerStatusStore(pool, "app")).rejects.toThrow("timer_status");
  await pool.query("drop type host.timer_status");
  const store = await timerStatusStore(pool, "app");
  expect(await store.read("nightly")).toBeUndefined();
});
