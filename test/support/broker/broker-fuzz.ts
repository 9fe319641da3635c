/** Lets hostile peers of every kind loose on a broker, beside a client that minds its own business. */
import { expect } from "vitest";
import type { ServiceBusClient } from "@azure/service-bus";
import { conditions } from "../../../local/broker/errors.js";
import { createDatabase } from "../database/database.js";
import { seededBelow } from "../platform/seeded-random.js";
import { cutFrames, mutant, recordClient } from "./amqp-mutants.js";
import { bodies, connect } from "./broker.js";
import { buildBroker, runBroker } from "./broker-process.js";
import { hostilePeer } from "./hostile-peers.js";

const atOnce = 8;
const growthMax = 60 * 1024 * 1024;

export interface FuzzReport {
  readonly peers: number;
  /** How often each condition was told, and none that is not known. */
  readonly told: Readonly<Record<string, number>>;
  /** Messages of the neighbour, and how long the slowest took there and back. */
  readonly exchanges: number;
  readonly slowestMs: number;
}

/** An error as the broker writes it: a list that begins with the condition. */
const errors = /\0S\x1d(?:\xc0[^]{2}|\xd0[^]{8})\xa3([^])([a-z:.-]+)/g;

const conditionsIn = (bytes: Buffer): string[] =>
  [...bytes.toString("latin1").matchAll(errors)].map(([, length = "", text = ""]) =>
    text.slice(0, length.charCodeAt(0)),
  );

/** There and back, once: neither lost nor doubled, and nothing else in between. */
const exchange = async (client: ServiceBusClient, body: string): Promise<void> => {
  const sender = client.createSender("other");
  await sender.sendMessages({ body });
  await sender.close();
  const receiver = client.createReceiver("other");
  const received = await receiver.receiveMessages(1);
  expect(bodies(received)).toEqual([body]);
  for (const message of received) await receiver.completeMessage(message);
  await receiver.close();
};

/** A failure names the seed: each peer does what its number and the seed say. */
export const fuzzBroker = async (seed: number, durationMs: number): Promise<FuzzReport> => {
  const removeBundle = await buildBroker();
  const database = await createDatabase();
  const broker = await runBroker(database.url, 0, { isQuiet: true });
  const neighbour = connect(broker.port, { maxRetries: 0 });
  try {
    const units = cutFrames(await recordClient(broker.port));
    await exchange(neighbour, "before");
    const before = await broker.memory();
    const end = performance.now() + durationMs;
    const isOn = (): boolean => performance.now() < end && broker.isAlive;
    const told: Record<string, number> = {};
    let peers = 0;
    const attacker = async (): Promise<void> => {
      while (isOn()) {
        peers += 1;
        const draw = seededBelow(seed + peers);
        const heard = await hostilePeer(broker.port, draw, (next) => mutant(units, next));
        for (const condition of conditionsIn(heard)) told[condition] = (told[condition] ?? 0) + 1;
      }
    };
    let exchanges = 0;
    let slowestMs = 0;
    const live = async (): Promise<void> => {
      for (; isOn(); exchanges += 1) {
        const began = performance.now();
        await exchange(neighbour, `message ${exchanges}`);
        slowestMs = Math.max(slowestMs, performance.now() - began);
      }
    };
    await Promise.all([live(), ...Array.from({ length: atOnce }, attacker)]);
    expect(broker.isAlive, `seed ${seed}, after ${peers} peers`).toBe(true);
    const known: readonly string[] = Object.values(conditions);
    const unknown = Object.keys(told).filter((condition) => !known.includes(condition));
    expect(unknown, `seed ${seed}`).toEqual([]);
    expect(told[conditions.internalError] ?? 0, `seed ${seed}`).toBe(0);
    await exchange(neighbour, "after");
    // The neighbour's own connection is all that stays.
    await expect.poll(() => broker.connections(), { message: `seed ${seed}` }).toBe(1);
    await expect
      .poll(async () => (await broker.memory()) - before, { message: `seed ${seed}` })
      .toBeLessThan(growthMax);
    return { peers, told, exchanges, slowestMs };
  } finally {
    await neighbour.close();
    await broker.kill();
    await database.drop();
    await removeBundle();
  }
};
