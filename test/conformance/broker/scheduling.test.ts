/** Scheduled and expiring messages: one that cannot be seen to holds up no other, and looking costs little. */
import { expect, test } from "vitest";
import { startBroker } from "../../../local/broker/broker.js";
import { EntityStore } from "../../../local/broker/storage/entity-store.js";
import { MessageReader } from "../../../local/broker/storage/message-reader.js";
import { Writer } from "../../../local/broker/storage/writer.js";
import { parseTopology } from "../../../local/broker/topology.js";
import { bodies, connect, one } from "../../support/broker/broker.js";
import { openPool, rowsOf } from "../../support/database/connections.js";
import { ownDatabases } from "../../support/database/own-databases.js";

const hour = 3_600_000;

const { freshDatabase, afterwards } = ownDatabases();

/** Two queues and a topic; of the first queue and of one subscription the sessions can be asked for. */
const topology = (requiresSession: boolean) =>
  parseTopology({
    UserConfig: {
      Namespaces: [
        {
          Name: "test",
          Queues: [
            { Name: "first", Properties: { RequiresSession: requiresSession } },
            { Name: "second" },
          ],
          Topics: [
            {
              Name: "topic",
              Subscriptions: [
                { Name: "plain" },
                { Name: "sessions", Properties: { RequiresSession: requiresSession } },
              ],
            },
          ],
        },
      ],
    },
  });

const serve = async (url: string, requiresSession = false, failures: unknown[] = []) => {
  const broker = await startBroker({
    connectionString: url,
    topology: topology(requiresSession),
    port: 0,
    report: (error) => void failures.push(error),
  });
  const client = connect(broker.port);
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await client.close();
    await broker.stop();
  };
  afterwards(stop);
  return { client, stop };
};

test("a scheduled message that its queue does not take any more becomes a dead letter, and others come", async () => {
  const url = await freshDatabase();
  const before = await serve(url);
  for (const path of ["first", "second", "topic"])
    await before.client
      .createSender(path)
      .scheduleMessages(
        [{ body: `${path}, without session` }, { body: `${path}, with`, sessionId: "s" }],
        new Date(Date.now() + hour),
      );
  await before.stop();
  await rowsOf(url, "update broker.message set scheduled_for_ms = 1");

  const { client } = await serve(url, true);
  const second = client.createReceiver("second", { receiveMode: "receiveAndDelete" });
  expect(bodies(await second.receiveMessages(2))).toEqual([
    "second, without session",
    "second, with",
  ]);
  const plain = client.createReceiver("topic", "plain", { receiveMode: "receiveAndDelete" });
  expect(bodies(await plain.receiveMessages(2))).toEqual(["topic, without session", "topic, with"]);
  const session = await client.acceptSession("first", "s", { receiveMode: "receiveAndDelete" });
  expect(bodies(await session.receiveMessages(1))).toEqual(["first, with"]);
  const dead = { subQueueType: "deadLetter" } as const;
  const letters = [
    client.createReceiver("first", dead),
    client.createReceiver("topic", "sessions", dead),
  ];
  for (const receiver of letters) {
    const letter = one(await receiver.receiveMessages(1));
    expect(letter.body).toMatch(/without session$/);
    expect(letter.deadLetterReason).toBe("Session ID is null.");
  }
});

test("a scheduled message that the database does not take holds up no other one", async () => {
  const url = await freshDatabase();
  const before = await serve(url);
  const dueAt = new Date(Date.now() + hour);
  await before.client.createSender("first").scheduleMessages(
    ["before", "poison", "after"].map((messageId) => ({ body: messageId, messageId })),
    dueAt,
  );
  await before.client.createSender("second").scheduleMessages({ body: "elsewhere" }, dueAt);
  await before.stop();
  await rowsOf(
    url,
    `alter table broker.message add constraint test check (message_id <> 'poison' or state = 2);
     update broker.message set scheduled_for_ms = 1`,
  );

  const failures: unknown[] = [];
  const { client } = await serve(url, false, failures);
  const second = client.createReceiver("second", { receiveMode: "receiveAndDelete" });
  expect(bodies(await second.receiveMessages(1))).toEqual(["elsewhere"]);
  const first = client.createReceiver("first", { receiveMode: "receiveAndDelete" });
  expect(bodies(await first.receiveMessages(2))).toEqual(["before", "after"]);
  // It stays, is told of, and comes when it can.
  expect(String(failures[0])).toContain("check constraint");
  await rowsOf(url, "alter table broker.message drop constraint test");
  expect(bodies(await first.receiveMessages(1))).toEqual(["poison"]);
});

test("an expired message that somebody holds does not hide the others from the sweep", async () => {
  const url = await freshDatabase();
  const { client } = await serve(url);
  const sender = client.createSender("second");
  await sender.sendMessages(Array.from({ length: 600 }, (_, body) => ({ body })));
  const holder = client.createReceiver("second");
  const held = await holder.receiveMessages(600, { maxWaitTimeInMs: 1000 });
  expect(held).toHaveLength(600);
  // The other one expires last, when all these wait to be swept as soon as nobody holds them.
  await rowsOf(url, "update broker.message set expires_at_ms = 1");
  await sender.sendMessages({ body: "not held", timeToLive: 50 });
  const left = () => rowsOf(url, "select delivered from broker.message");
  await expect.poll(left).toEqual(Array.from({ length: 600 }, () => ({ delivered: true })));
});

test("to find what is due or expired next, no more is read than one message of each entity", async () => {
  const url = await freshDatabase();
  const pool = openPool(url, 2);
  afterwards(() => pool.end());
  const writer = await Writer.open(pool);
  afterwards(async () => writer.close());
  const { entityId } = await new EntityStore(pool, writer).register("backlog");
  await pool.query(
    `insert into broker.message (entity_id, sequence_number, enqueued_sequence_number, message_id,
       state, delivery_count, delivered, enqueued_at_ms, expires_at_ms, scheduled_for_ms, bare)
     select $1, n, n, n, case when n % 2 = 0 then 0 else 2 end, 0, false, 0,
       case when n % 2 = 0 then n end, case when n % 2 = 1 then n end, ''
     from generate_series(1, 4000) n`,
    [entityId],
  );
  await pool.query("analyze broker.message");
  // One connection, so that what it has read can be told.
  const narrow = openPool(url, 1);
  afterwards(() => narrow.end());
  const reader = new MessageReader(narrow);
  const readSoFar = async (): Promise<number> => {
    await narrow.query("select pg_stat_force_next_flush()");
    const { rows } = await narrow.query<{ count: unknown }>(
      `select seq_tup_read + coalesce(idx_tup_fetch, 0) as count from pg_stat_user_tables
       where relid = 'broker.message'::regclass`,
    );
    return Number(rows[0]?.count);
  };
  const before = await readSoFar();
  expect(await reader.nextDue()).toEqual([{ entityId, atMs: 1 }]);
  expect(await reader.nextExpiry()).toEqual([{ entityId, atMs: 2 }]);
  await narrow.query("select 1");
  expect((await readSoFar()) - before).toBeLessThan(10);
});
