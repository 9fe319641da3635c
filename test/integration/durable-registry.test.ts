/** What the durable engine keeps in memory, and for how long. */
import { Pool } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { localClock } from "../../local/clock.js";
import { ActivityRunner } from "../../local/durable/activity-runner.js";
import { Client } from "../../local/durable/client.js";
import { Committer } from "../../local/durable/committer.js";
import type { DurableFunctions } from "../../local/durable/functions.js";
import { readInstances } from "../../local/durable/instance-rows.js";
import { MessageIds } from "../../local/durable/message-ids.js";
import { Ownership } from "../../local/durable/ownership.js";
import { Registry } from "../../local/durable/registry.js";
import { createSchema } from "../../local/durable/schema.js";
import { Timers } from "../../local/durable/timers.js";
import { createDatabase, type TestDatabase } from "../support/database.js";

const hub = "hub";
const entity = "@counter@one";

let database: TestDatabase;
let pool: Pool;
let registry: Registry;
let client: Client;
let stop: () => Promise<void>;

const functions: DurableFunctions = {
  find: (_kind, name) => name,
  names: () => [],
  runOrchestrator: async () => Promise.reject(new Error("no code is expected to run")),
  runActivity: async () => null,
  runEntity: async () => ({ entityExists: true, entityState: "1", results: [], signals: [] }),
};

beforeEach(async () => {
  database = await createDatabase();
  pool = new Pool({ connectionString: database.url });
  await createSchema(pool);
  const nothing = {
    onMessage: () => undefined,
    onTakeover: () => undefined,
    onLost: () => undefined,
  };
  const ownership = new Ownership(pool, hub, 1_000, nothing);
  await ownership.start();
  const owner = (): string => ownership.hostId;
  const committer = new Committer(pool, hub, owner);
  const clock = localClock();
  const timers = new Timers(pool, hub, owner, clock, (due) => registry.dispatch(due));
  registry = new Registry({
    pool,
    hub,
    functions,
    clock,
    versions: { match: "None", failure: "Reject" },
    entityBatchMax: 10,
    committer,
    activities: new ActivityRunner(functions, 100),
    messageIds: await MessageIds.open(pool),
    ownership: () => ownership,
    timers: () => timers,
    idleMax: 100,
    keepsSessions: true,
    onMoved: () => undefined,
  });
  client = new Client(pool, hub, registry);
  stop = async () => {
    registry.stop();
    committer.stop();
    timers.stop();
    await ownership.stop(true);
  };
});
afterEach(async () => {
  await stop();
  await pool.end();
  await database.drop();
});

test("the removal of an earlier life of an id leaves the life that has begun since in memory", async () => {
  await client.signal(entity, "add", "1");
  const [earlier] = await readInstances(pool, hub, [entity]);
  if (earlier === undefined) throw new Error("the entity was expected to be there");
  expect(await client.purge(earlier)).toBe(1);
  expect(registry.holds(entity)).toBe(false);
  await client.signal(entity, "add", "1");
  expect(await client.purge(earlier)).toBe(0);
  expect(registry.holds(entity)).toBe(true);
});
