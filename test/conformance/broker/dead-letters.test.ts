/** Dead letters come in any order, from a database of any version, and none is lost or delivered twice. */
import { expect, test } from "vitest";
import { steps } from "../../../local/broker/storage/schema.js";
import { startBroker } from "../../../local/broker/broker.js";
import { connect, one, receiveExactly, testTopology } from "../../support/broker/broker.js";
import { amqp } from "../../support/broker/raw-peer.js";
import { rowsOf } from "../../support/database/connections.js";
import { ownDatabases } from "../../support/database/own-databases.js";

const { freshDatabase, afterwards } = ownDatabases();

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
  afterwards(stop);
  return { broker, client, stop };
};

test("letters that come out of order, while others are held and given back, are all delivered once", async () => {
  const { client } = await serve(await freshDatabase());
  const count = 100;
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
  const message = (body: string): string =>
    amqp
      .bytes(
        amqp.described(0x73, amqp.list(amqp.string(body))),
        amqp.described(0x77, amqp.string(body)),
      )
      .toString("hex");
  // As that version left it: the steps are not counted, letters are numbered from one.
  await rowsOf(
    url,
    `create schema broker;
     ${steps[0]};
     insert into broker.entity (path, last_sequence_number)
     values ('plain/$DeadLetterQueue', 2), ('plain', 3);
     insert into broker.message (entity_id, sequence_number, enqueued_sequence_number, message_id,
       state, delivery_count, delivered, enqueued_at_ms, bare)
     values (1, 1, 2, 'b', 0, 0, false, 0, '\\x${message("b")}'),
       (1, 2, 1, 'a', 0, 0, false, 0, '\\x${message("a")}'),
       (2, 3, 3, 'c', 0, 0, true, 0, '\\x${message("c")}')`,
  );

  const { client } = await serve(url);
  const letters = client.createReceiver("plain", {
    subQueueType: "deadLetter",
    receiveMode: "receiveAndDelete",
  });
  const received = await receiveExactly(letters, 2);
  expect(
    received.map(({ body, sequenceNumber }) => [body as unknown, String(sequenceNumber)]),
  ).toEqual([
    ["a", "1"],
    ["b", "2"],
  ]);
  await client.createSender("plain").sendMessages({ body: "new" });
  const receiver = client.createReceiver("plain", { receiveMode: "receiveAndDelete" });
  const rest = await receiveExactly(receiver, 2);
  expect(
    rest.map(({ body, deliveryCount, sequenceNumber }) => [
      body as unknown,
      deliveryCount,
      String(sequenceNumber),
    ]),
  ).toEqual([
    ["c", 1, "3"],
    ["new", 0, "4"],
  ]);
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
