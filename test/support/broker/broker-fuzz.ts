/** Lets mutants of genuine connections loose on a broker, and sees what it is like afterwards. */
import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { createDatabase } from "../database/database.js";
import { seededBelow } from "../platform/seeded-random.js";
import { cutFrames, mutant, recordClient } from "./amqp-mutants.js";
import { bodies, connect } from "./broker.js";
import { buildBroker, runBroker, type BrokerProcess } from "./broker-process.js";

const atOnce = 8;
/** How long a mutant stays connected when the broker finds nothing wrong with it. */
const lingerMs = 60;

const attack = async (port: number, bytes: Buffer): Promise<void> => {
  const socket = connectSocket(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.resume();
  const closed = once(socket, "close");
  socket.write(bytes);
  await Promise.race([closed, setTimeout(lingerMs)]);
  socket.destroy();
};

const expectServed = async (broker: BrokerProcess): Promise<void> => {
  const client = connect(broker.port);
  const sender = client.createSender("other");
  await sender.sendMessages({ body: "genuine" });
  const receiver = client.createReceiver("other", { receiveMode: "receiveAndDelete" });
  expect(bodies(await receiver.receiveMessages(1))).toEqual(["genuine"]);
  await client.close();
};

/** A failure names the seed: the same mutants come in the same order for it. */
export const fuzzBroker = async (seed: number, durationMs: number): Promise<void> => {
  const removeBundle = await buildBroker();
  const database = await createDatabase();
  const broker = await runBroker(database.url, 0, { isQuiet: true });
  try {
    const units = cutFrames(await recordClient(broker.port));
    await expectServed(broker);
    const before = await broker.memory();
    const random = seededBelow(seed);
    const end = Date.now() + durationMs;
    let sent = 0;
    const attacker = async (): Promise<void> => {
      while (Date.now() < end && broker.isAlive) {
        sent += 1;
        await attack(broker.port, mutant(units, random));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, attacker));
    expect(broker.isAlive, `seed ${seed}, after ${sent} connections`).toBe(true);
    expect(sent).toBeGreaterThan(10);
    await expectServed(broker);
    expect((await broker.memory()) - before, `seed ${seed}`).toBeLessThan(60 * 1024 * 1024);
  } finally {
    await broker.kill();
    await database.drop();
    await removeBundle();
  }
};
