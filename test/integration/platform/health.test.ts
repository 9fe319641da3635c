/** What health says of each fault: which part, in a sentence that tells nothing else, and soon. */
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { healthOf } from "../../../functions/platform/health.js";
import { readConfig } from "../../../shared/platform/config.js";
import type { FlowClient } from "../../../shared/durable/flow-client.js";
import { openServiceBus, type ServiceBus } from "../../../shared/events/service-bus.js";
import { noteStartedFlows } from "../../support/durable/started-flows.js";
import { openBankTest, type BankTest } from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
beforeAll(async () => {
  bank = await openBankTest();
});
afterEach(() =>
  bank.database.execute(
    `do $$ begin
       drop trigger if exists broken on borsello.health_probe;
       truncate borsello.outbox, borsello.held_message, borsello.set_aside;
     end $$`,
  ),
);
afterAll(() => bank.end());

const quietBus: ServiceBus = {
  send: (_destination, messages) => Promise.resolve({ acknowledged: messages.length }),
  deadLetter: () => Promise.resolve(),
  ask: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

const lookWith = (bus: ServiceBus = quietBus) =>
  healthOf({
    config: readConfig({
      PLATFORM_ENVIRONMENT: "testing",
      DATABASE_URL: bank.url,
      ServiceBus: "Endpoint=sb://localhost:5672;SharedAccessKeyName=k;SharedAccessKey=k",
      LOCAL_BASE_URL: "http://localhost:7071",
    }),
    database: bank.database,
    bus,
    note: () => undefined,
  });

const { client } = noteStartedFlows();
const look = (bus?: ServiceBus, engine: Pick<FlowClient, "getStatus"> = client) =>
  lookWith(bus)(engine);

const writeWaiting = (destinations: string, seconds: number) =>
  bank.database.execute(
    `insert into borsello.outbox (destinations, session_id, subject, body, created_at)
     values ($1::text[], 'one', 'Test', '{}', now() - make_interval(secs => $2))`,
    [destinations, seconds],
  );

test("nothing is wrong where everything answers", async () => {
  expect(await look()).toEqual({
    status: "ok",
    database: { status: "ok", problem: null },
    broker: { status: "ok", port: 5672, problem: null },
    durable: { status: "ok", problem: null },
    outbox: { waiting: 0, oldestSeconds: null, problem: null },
  });
});

test.each([
  ["53100", "The database takes no changes: its disk is full."],
  ["25006", "The database takes no changes: it is read-only."],
  ["XX001", "Writing to the database fails; the log says why."],
])("a database that reads and cannot write (%s) is unavailable", async (code, problem) => {
  await bank.database.execute(
    `create or replace function borsello.fail_probe() returns trigger language plpgsql as $$
     begin raise exception 'could not extend /data/base/1' using errcode = '${code}'; end $$`,
  );
  await bank.database.execute(
    `create trigger broken before insert on borsello.health_probe
     execute function borsello.fail_probe()`,
  );
  const health = await look();
  expect(health.status).toBe("degraded");
  expect(health.database).toEqual({ status: "unavailable", problem });
  expect(health.outbox.waiting).toBe(0);
});

test("a backup that reads all tables makes nothing unavailable", async () => {
  await bank.database.quietTransaction(async (tx) => {
    await tx.execute("lock table borsello.health_probe in access share mode");
    expect((await look()).database).toEqual({ status: "ok", problem: null });
  });
});

test("a broker that takes connections and says nothing is unavailable, soon, and asked once", async () => {
  let connections = 0;
  const sockets: { destroy(): void }[] = [];
  const frozen = createServer((socket) => {
    connections += 1;
    sockets.push(socket.on("error", () => undefined));
  });
  frozen.listen(0, "127.0.0.1");
  await once(frozen, "listening");
  const { port } = frozen.address() as AddressInfo;
  const bus = openServiceBus({
    kind: "connectionString",
    connectionString: `Endpoint=sb://127.0.0.1:${port};SharedAccessKeyName=k;SharedAccessKey=k;UseDevelopmentEmulator=true`,
  });
  const lookAgain = lookWith(bus);
  const began = performance.now();
  expect((await lookAgain(client)).broker).toMatchObject({
    status: "unavailable",
    problem: "The broker does not answer.",
  });
  expect(performance.now() - began).toBeLessThan(6_000);
  for (let times = 0; times < 5; times += 1)
    expect((await lookAgain(client)).status).toBe("degraded");
  expect(connections).toBe(1);
  for (const socket of sockets) socket.destroy();
  frozen.close();
  await bus.close();
});

test("an engine that fails is unavailable, and its words stay in the log", async () => {
  const engine = { getStatus: () => Promise.reject(new Error("password=hunter2")) };
  const health = await look(quietBus, engine);
  expect(health.status).toBe("degraded");
  expect(health.durable).toEqual({
    status: "unavailable",
    problem: "The durable engine fails; the log says why.",
  });
});

test.each([
  ["{nowhere}", 30, "ok", null],
  ["{acme}", 4_000, "ok", "Messages wait for acme since 4000 seconds."],
  ["{bank-requests}", 90, "ok", "Messages wait for bank-requests since 90 seconds."],
  ["{bank-requests}", 400, "degraded", "Messages wait for bank-requests since 400 seconds."],
  ["{acme,globex}", 400, "ok", "Messages wait for acme and globex since 400 seconds."],
  [
    "{platform-events,acme}",
    400,
    "degraded",
    "Messages wait for platform-events and acme since 400 seconds.",
  ],
])(
  "messages that wait for %s since %i seconds: %s",
  async (destinations, seconds, status, problem) => {
    await writeWaiting(destinations, seconds);
    const health = await look();
    expect([health.status, health.outbox.waiting]).toEqual([status, 1]);
    expect(health.outbox.problem?.replace(/\d+ seconds/, `${seconds} seconds`) ?? null).toBe(
      problem,
    );
  },
);

test("refused messages are told of and make nothing degraded, however long ago they were given up on", async () => {
  await bank.database.execute(
    `insert into borsello.outbox (destinations, session_id, subject, body, created_at, held)
     select '{platform-events}', 'one', 'Test', '{}', now() - interval '2 days', true`,
  );
  await bank.database.execute(
    `insert into borsello.held_message (outbox_id, destination, session_id, error, given_up_at)
     values (1, 'acme', 'one', 'too large', null), (2, 'acme', 'one', 'too large', now()),
       (1, 'platform-events', 'one', 'too large', now())`,
  );
  const health = await look();
  expect([health.status, health.outbox]).toEqual([
    "ok",
    {
      waiting: 1,
      oldestSeconds: null,
      problem:
        "Messages are refused by acme, platform-events: tried again 1, given up on 2; " +
        "borsello.held_message says why.",
    },
  ]);
});

test("flows that could not be started are told of", async () => {
  await bank.database.execute(
    "insert into borsello.set_aside (sweep, subject, error) values ('flowSweep', 'iban-1', 'bad')",
  );
  expect((await look()).durable).toEqual({
    status: "ok",
    problem: "Flows that could not be started: 1; borsello.set_aside says why.",
  });
});
