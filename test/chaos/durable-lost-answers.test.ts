/** A write is done, its answer is lost: what it began goes on as if the answer had come. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../support/database/database.js";
import { DatabaseProxy } from "../support/database/database-proxy.js";
import { startDurableHost, type DurableHost } from "../support/durable/durable-host.js";

let database: TestDatabase;
let proxy: DatabaseProxy;
let host: DurableHost;

beforeAll(async () => {
  database = await createDatabase();
  proxy = await DatabaseProxy.before(database.url);
  host = await startDurableHost(proxy.url);
});
afterAll(async () => {
  await host.kill();
  await proxy.close();
  await database.drop();
});

test("a timer fires whose turn was written without an answer", async () => {
  // By now the host has read all timers of the next minute.
  expect((await host.run("timer", "before", 10)).runtimeStatus).toBe("Completed");
  proxy.loseAnswerTo('"type":"timer"');
  expect((await host.run("timer", "unanswered", 1_500)).runtimeStatus).toBe("Completed");
});
