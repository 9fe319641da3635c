/** What the durable engine keeps in memory, and for how long. */
import type { Pool } from "pg";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { localClock } from "../../../local/clock.js";
import { ActivityRunner } from "../../../local/durable/turns/activity-runner.js";
import { Client } from "../../../local/durable/api/client.js";
import { Committer } from "../../../local/durable/storage/committer.js";
import type { DurableFunctions } from "../../../local/durable/protocol/functions.js";
import { encodeEvents } from "../../../local/durable/protocol/history-codec.js";
import { InstanceKeys } from "../../../local/durable/storage/instance-keys.js";
import { readInstances } from "../../../local/durable/storage/instance-rows.js";
import { areOpen } from "../../../local/durable/storage/lock-holders.js";
import { MessageIds } from "../../../local/durable/storage/message-ids.js";
import type { MessageBody } from "../../../local/durable/protocol/messages.js";
import { HostLease } from "../../../local/durable/hosts/host-lease.js";
import { InstanceStore } from "../../../local/durable/hosts/instance-store.js";
import { historyEvent } from "../../../local/durable/protocol/protocol.js";
import { Registry } from "../../../local/durable/hosts/registry.js";
import { SetAside } from "../../../local/durable/storage/set-aside.js";
import { createSchema } from "../../../local/durable/storage/schema.js";
import { Timers } from "../../../local/durable/hosts/timers.js";
import type { TurnServices } from "../../../local/durable/turns/instance-host.js";
import { openPool } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";

const hub = "hub";
const entity = "@counter@one";

let database: TestDatabase;
let pool: Pool;
let store: InstanceStore;
let timers: Timers;
let registry: Registry;
let client: Client;
let stop: () => Promise<void>;
let hostId: string;
let activitiesRun: number;
/** Activities end when it resolves. */
let released: Promise<unknown>;

const history = [
  historyEvent("OrchestratorStarted", new Date()),
  historyEvent("ExecutionStarted", new Date(), { Name: "flow" }),
  historyEvent("TaskScheduled", new Date(), { EventId: 0, Name: "echo" }),
];

const functions: DurableFunctions = {
  find: (_kind, name) => name,
  names: () => [],
  runOrchestrator: async () => Promise.reject(new Error("no code is expected to run")),
  runActivity: async () => {
    activitiesRun++;
    return released;
  },
  runEntity: async () => ({ entityExists: true, entityState: "1", results: [], signals: [] }),
};

beforeEach(async () => {
  database = await createDatabase();
  pool = openPool(database.url);
  await createSchema(pool);
  const nothing = {
    onMessage: () => undefined,
    onTakeover: () => undefined,
    onLost: () => undefined,
  };
  const lease = new HostLease(pool, hub, 1_000);
  await lease.start(nothing);
  hostId = lease.hostId;
  activitiesRun = 0;
  released = Promise.resolve(null);
  const setAside = new SetAside(pool, hub, lease);
  const committer = new Committer(pool, hub, lease);
  const clock = localClock();
  timers = new Timers(pool, hub, lease, clock, setAside);
  const activities = new ActivityRunner(functions, 100);
  const messageIds = await MessageIds.open(pool);
  const services: TurnServices = {
    functions,
    clock,
    versions: { match: "None", failure: "Reject" },
    entityBatchMax: 10,
    keepsSessions: true,
    commit: (change, signal) => committer.commit(change, signal),
    areOpen: (holders) => areOpen(pool, hub, holders),
    nextMessageId: () => messageIds.next(),
    isStopping: () => false,
    setAside: async () => undefined,
    log: () => undefined,
    startActivity: (job) => activities.start(job),
  };
  store = new InstanceStore(pool, hub, lease, setAside);
  registry = new Registry({
    services,
    store,
    timers,
    instanceKeys: new InstanceKeys(pool),
    idleMax: 1,
    onMoved: () => undefined,
  });
  timers.start((due) => registry.due(due));
  client = new Client(pool, hub, services, registry);
  stop = async () => {
    registry.stop();
    committer.stop();
    timers.stop();
    await lease.stop(true);
  };
});
afterEach(async () => {
  await stop();
  await pool.end();
  await database.drop();
});

const quiet = async (): Promise<void> => {
  await expect.poll(() => registry.isBusy).toBe(false);
};

/** Suspended after their first turn, in which they asked for the activity 0. */
const insertSuspended = async (count: number): Promise<void> => {
  await pool.query(
    `with made as (insert into durable.instance (hub, id, kind, execution_id, name, status, turn, owner,
         created_at, updated_at)
       select $1, 'flow-' || n, 'orchestration', 'e', 'flow', 'Suspended', 1, $2, now(), now()
       from generate_series(1, $3) n returning key)
     insert into durable.history (key, turn, events) select key, 0, $4 from made`,
    [hub, hostId, count, encodeEvents(history)],
  );
};

const insertActivities = async (): Promise<void> => {
  await pool.query(
    "insert into durable.activity (key, task_id, name) select key, 0, 'echo' from durable.instance",
  );
};

const insertMessage = async (id: number, body: MessageBody, dueAt?: number): Promise<void> => {
  await pool.query(
    `insert into durable.message (id, hub, instance_id, type, body, due_at)
     values ($1, $2, 'flow-1', $3, $4, $5)`,
    [id, hub, body.type, JSON.stringify(body), dueAt],
  );
};

test("the removal of an earlier life of an id leaves the life that has begun since in memory", async () => {
  await client.signal(entity, "add", "1");
  // One for which something waits would keep its life.
  await quiet();
  const [earlier] = await readInstances(pool, hub, [entity]);
  if (earlier === undefined) throw new Error("the entity was expected to be there");
  expect(await client.purge(earlier)).toBe(1);
  expect(registry.holds(entity)).toBe(false);
  await client.signal(entity, "add", "1");
  expect(await client.purge(earlier)).toBe(0);
  expect(registry.holds(entity)).toBe(true);
});

test("a suspended instance rests with the result that it may not take yet, and does not lose it", async () => {
  await insertSuspended(1);
  await insertActivities();
  await registry.sweep();
  await quiet();
  for (const key of ["one", "two", "three"]) await client.signal(`@counter@${key}`, "add", "1");
  await registry.sweep();
  await quiet();
  expect(registry.holds("flow-1")).toBe(true);
  expect(activitiesRun).toBe(1);
});

test("what found no room in memory is fetched as soon as the others rest, and there is quiet", async () => {
  await insertSuspended(10_000);
  await insertActivities();
  let end: (value: null) => void = () => undefined;
  released = new Promise((resolve) => {
    end = resolve;
  });
  const swept = registry.sweep();
  await expect.poll(() => registry.size).toBe(10_000);
  await client.signal(entity, "add", "1");
  end(null);
  await quiet();
  await swept;
  const { rows } = await pool.query("select from durable.message");
  expect(rows).toHaveLength(0);
}, 40_000);

test("a suspended instance is not fetched for what it may not take yet, but to be resumed", async () => {
  await insertSuspended(1);
  await insertMessage(1, { type: "event", name: "go" });
  await registry.sweep();
  await quiet();
  expect(registry.holds("flow-1")).toBe(false);
  await insertMessage(2, { type: "resume" });
  await registry.sweep();
  await quiet();
  const [flow] = await readInstances(pool, hub, ["flow-1"]);
  expect(flow?.status).not.toBe("Suspended");
});

test("what reaches the disk for an instance that was removed meanwhile is not kept for a later life of its id", async () => {
  await insertMessage(1, { type: "terminate" });
  registry.changed("flow-1");
  await quiet();
  expect((await pool.query("select from durable.message")).rows).toHaveLength(0);
});

test.each([
  { what: "a message", dueAt: undefined },
  { what: "a timer that fires meanwhile", dueAt: 1 },
])("$what reaches what has become this host's while it was being read", async ({ dueAt }) => {
  // So that no other read finds the timer.
  await expect.poll(() => timers.isBehind).toBe(false);
  vi.spyOn(store, "claim").mockImplementationOnce(async () => {
    const body = { type: "resume" } as const;
    await insertSuspended(1);
    await insertMessage(1, body, dueAt);
    await registry.sweep();
    if (dueAt !== undefined) registry.due([{ id: 1, target: "flow-1", dueAt, body }]);
    // The read had begun before.
    return { instances: [], spoiled: [], unreadable: [] };
  });
  registry.changed("flow-1");
  await quiet();
  const [flow] = await readInstances(pool, hub, ["flow-1"]);
  expect(flow?.status).not.toBe("Suspended");
});
