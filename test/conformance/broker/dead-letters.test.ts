/** Dead letters come in any order, from a database of any version, and none is lost or delivered twice. */
import { afterEach, expect, test } from "vitest";
import { startBroker } from "../../../local/broker/broker.js";
import { bodies, connect, one, receiveExactly, testTopology } from "../../support/broker/broker.js";
import { rowsOf } from "../../support/database/connections.js";
import { createDatabase } from "../../support/database/database.js";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const freshDatabase = async (): Promise<string> => {
  const database = await createDatabase();
  cleanups.push(() => database.drop());
  return database.url;
};

const serve = async (url: string) => {
  const broker = await startBroker({ connectionString: url, topology: testTopology, port: 0 });
  const client = connect(broker.port);
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await client.close();
    await broker.stop();
  };
  cleanups.push(stop);
  return { broker, client, stop };
};

test("letters that come out of order, while others are held and given back, are all delivered once", async () => {
  const { client } = await serve(await freshDatabase());
  const count = 300;
  const numbers = Array.from({ length: count }, (_, index) => index);
  const sender = client.createSender("other");
  await sender.sendMessages(numbers.map((body) => ({ body })));
  const receiver = client.createReceiver("other");
  const messages = await receiver.receiveMessages(count);
  expect(messages).toHaveLength(count);
  // By turns from both ends.
  const shuffled = messages.map((_, index) =>
    index % 2 === 0 ? messages[index / 2] : messages[count - (index + 1) / 2],
  );
  const seen: unknown[] = [];
  const abandoned = new Set<unknown>();
  const letters = client.createReceiver("other", { subQueueType: "deadLetter" });
  letters.subscribe(
    {
      processMessage: async (message) => {
        if (Number(message.body) % 7 === 0 && !abandoned.has(message.body)) {
          abandoned.add(message.body);
          await letters.abandonMessage(message);
        } else seen.push(message.body);
      },
      processError: async () => undefined,
    },
    { maxConcurrentCalls: 10 },
  );
  for (const message of shuffled) if (message) await receiver.deadLetterMessage(message);
  await expect.poll(() => seen.length).toBe(count);
  await letters.close();
  expect(new Set(seen).size).toBe(count);
  const rest = client.createReceiver("other", { subQueueType: "deadLetter" });
  expect(await rest.peekMessages(1)).toEqual([]);
});

test("letters of a database from before they kept their numbers have them after the start", async () => {
  const url = await freshDatabase();
  const before = await serve(url);
  await before.client.createSender("plain").sendMessages([1, 2, 3].map((body) => ({ body })));
  const receiver = before.client.createReceiver("plain");
  const [, second, third] = await receiver.receiveMessages(3);
  for (const message of [second, third]) if (message) await receiver.deadLetterMessage(message);
  await before.stop();
  // As that version left it: the steps are not counted, letters are numbered from one.
  await rowsOf(
    url,
    `drop table broker.schema_step, broker.owner;
     drop index broker.message_due, broker.message_expiring;
     alter table broker.message drop column durable, drop column priority;
     create index message_due on broker.message (scheduled_for_ms) where state = 2;
     update broker.message m set sequence_number = sequence_number - 1
     from broker.entity e where e.entity_id = m.entity_id and e.path = 'plain/$DeadLetterQueue'`,
  );

  const { client } = await serve(url);
  const letters = client.createReceiver("plain", { subQueueType: "deadLetter" });
  const peeked = await letters.peekMessages(5);
  expect(
    peeked.map(({ body, sequenceNumber }) => [body as unknown, String(sequenceNumber)]),
  ).toEqual(
    [second, third].map((message) => [message?.body as unknown, String(message?.sequenceNumber)]),
  );
  const again = client.createReceiver("plain", { receiveMode: "receiveAndDelete" });
  await client.createSender("plain").sendMessages({ body: "new" });
  expect(bodies(await receiveExactly(again, 2))).toEqual([1, "new"]);
});

test("while the disk is full the broker says so, and what was sent is kept when it is not any more", async () => {
  const url = await freshDatabase();
  const { broker, client } = await serve(url);
  await rowsOf(
    url,
    `create function public.full_disk() returns trigger language plpgsql as
       $$ begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$;
     create trigger full_disk before insert on broker.message execute function public.full_disk()`,
  );
  const sent = client.createSender("plain").sendMessages({ body: "patient" });
  await expect.poll(() => broker.status().status).toBe("waiting for the database");
  await rowsOf(url, "drop trigger full_disk on broker.message");
  await sent;
  expect(broker.status().status).toBe("ok");
  const receiver = client.createReceiver("plain", { receiveMode: "receiveAndDelete" });
  expect(one(await receiver.receiveMessages(1)).body).toBe("patient");
});
