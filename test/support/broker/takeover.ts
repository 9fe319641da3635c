/** Two brokers that own one database by turns while clients send: what was acknowledged must be there. */
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { startBroker } from "../../../local/broker/broker.js";
import { connect as openConnection, openPool } from "../database/connections.js";
import { createDatabase } from "../database/database.js";
import { bodies, connect, testTopology } from "./broker.js";

type Callback = Parameters<ReturnType<typeof openPool>["connect"]>[0];

/** A pool whose owner can be kept from connecting, as by a network that is cut. */
const gatedPool = (connectionString: string) => {
  const pool = openPool(connectionString);
  const connectNow = pool.connect.bind(pool);
  let opened = Promise.resolve();
  let open = (): void => undefined;
  Object.assign(pool, {
    connect: (callback?: Callback) =>
      callback === undefined ? opened.then(() => connectNow()) : connectNow(callback),
  });
  return {
    pool,
    close: () => void (opened = new Promise((resolve) => (open = resolve))),
    open: () => open(),
  };
};

export interface TakeoverReport {
  readonly rounds: number;
  readonly acknowledged: number;
  readonly lost: number;
}

/** In each round a second broker owns the database for a while, and sends messages of its own. */
export const takeOverRepeatedly = async (rounds: number): Promise<TakeoverReport> => {
  const database = await createDatabase();
  const { pool, ...gate } = gatedPool(database.url);
  const options = { topology: testTopology, report: () => undefined };
  const broker = await startBroker({ ...options, pool, port: 0 });
  const executioner = await openConnection(database.url);
  const client = connect(broker.port, { maxRetries: 3, timeoutInMs: 1000 });
  const acknowledged: string[] = [];
  let isOver = false;
  const feed = async (name: string): Promise<void> => {
    const sender = client.createSender("plain");
    for (let number = 0; !isOver; number += 1) {
      const body = `${name}-${number}`;
      // A send without answer may have come or not: only what was acknowledged is counted.
      await sender.sendMessages({ body }).then(
        () => acknowledged.push(body),
        () => setTimeout(20),
      );
    }
  };
  const feeders = Array.from({ length: 8 }, (_, index) => feed(`feeder ${index}`));

  for (let round = 0; round < rounds; round += 1) {
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 40);
    gate.close();
    await executioner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'broker' and datname = current_database()`,
    );
    const other = await startBroker({ ...options, connectionString: database.url, port: 0 });
    const otherClient = connect(other.port);
    const sent = Array.from({ length: 25 }, (_, index) => `other ${round}-${index}`);
    await otherClient.createSender("plain").sendMessages(sent.map((body) => ({ body })));
    acknowledged.push(...sent);
    await otherClient.close();
    await other.stop();
    gate.open();
  }
  const before = acknowledged.length;
  await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 40);
  isOver = true;
  await Promise.all(feeders);

  const received = new Set<unknown>();
  const receiver = client.createReceiver("plain", { receiveMode: "receiveAndDelete" });
  for (;;) {
    const messages = await receiver.receiveMessages(500, { maxWaitTimeInMs: 300 });
    if (messages.length === 0) break;
    for (const body of bodies(messages)) received.add(body);
  }
  await client.close();
  await broker.stop();
  await executioner.end();
  await pool.end();
  await database.drop();
  const lost = acknowledged.filter((body) => !received.has(body));
  return { rounds, acknowledged: acknowledged.length, lost: lost.length };
};
