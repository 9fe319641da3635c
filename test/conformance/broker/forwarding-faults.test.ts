/** Forwarding while the database drops the broker's connections, and what a stop left behind: once each. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { startBroker } from "../../../local/broker/broker.js";
import { parseTopology } from "../../../local/broker/topology.js";
import { bodies, connect, receiveExactly } from "../../support/broker/broker.js";
import { connect as openConnection, rowsOf } from "../../support/database/connections.js";
import { createDatabase } from "../../support/database/database.js";

const queue = (Name: string, Properties = {}) => ({ Name, Properties });
const topologyOf = (forwarding: object) =>
  parseTopology({
    UserConfig: {
      Namespaces: [
        {
          Name: "test",
          Queues: [queue("from", forwarding), queue("to")],
        },
      ],
    },
  });

test("no message is lost or there twice, whatever connections break under way", async () => {
  const database = await createDatabase();
  const { url } = database;
  const start = (forwarding: object) =>
    startBroker({
      connectionString: url,
      topology: topologyOf(forwarding),
      port: 0,
      report: () => undefined,
    });
  const numbers = Array.from({ length: 2_000 }, (_, index) => index);
  const first = await start({});
  const before = connect(first.port);
  for (let at = 0; at < numbers.length; at += 500)
    await before
      .createSender("from")
      .sendMessages(numbers.slice(at, at + 500).map((body) => ({ body })));
  await before.close();
  await first.stop();

  // What lay there is passed on by itself.
  const second = await start({ ForwardTo: "to" });
  const executioner = await openConnection(url);
  for (let round = 0; round < 3; round += 1) {
    const cutOff = async (): Promise<number | null> => {
      const { rowCount } = await executioner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'broker' and datname = current_database()`,
      );
      return rowCount;
    };
    await expect.poll(cutOff, { interval: 5 }).toBe(1);
    await sleep(20);
  }
  await executioner.end();
  const client = connect(second.port);
  const receiver = client.createReceiver("to", { receiveMode: "receiveAndDelete" });
  const received = bodies(await receiveExactly(receiver, numbers.length));
  expect(received.toSorted((a, b) => Number(a) - Number(b))).toEqual(numbers);
  await client.close();
  await second.stop();
  await database.drop();
});

test("a message that the database does not take at its target rests before it is tried again, and others pass", async () => {
  const database = await createDatabase();
  const triedAtMs: number[] = [];
  const broker = await startBroker({
    connectionString: database.url,
    topology: topologyOf({ ForwardTo: "to" }),
    port: 0,
    report: () => void triedAtMs.push(performance.now()),
  });
  await rowsOf(
    database.url,
    `alter table broker.message add constraint test check (message_id <> 'poison' or hops = 0)`,
  );
  const client = connect(broker.port);
  await client.createSender("from").sendMessages({ body: "poison", messageId: "poison" });
  await expect.poll(() => triedAtMs.length).toBeGreaterThan(1);
  const [first = 0, second = 0] = triedAtMs;
  expect(second - first).toBeGreaterThan(500);
  await client.createSender("from").sendMessages({ body: "sound" });
  const receiver = client.createReceiver("to", { receiveMode: "receiveAndDelete" });
  expect(bodies(await receiveExactly(receiver, 1))).toEqual(["sound"]);
  await rowsOf(database.url, "alter table broker.message drop constraint test");
  expect(bodies(await receiveExactly(receiver, 1))).toEqual(["poison"]);
  await client.close();
  await broker.stop();
  await database.drop();
});
