/** The window onto a queue's messages, against a model of the database: whatever the order, each comes once. */
import { expect, test } from "vitest";
import {
  ReadyWindow,
  windowBytesMax,
  windowCountMax,
} from "../../../local/broker/entities/ready-window.js";
import type { StoredMessage } from "../../../local/broker/storage/stored-message.js";
import { seededBelow } from "../../support/platform/seeded-random.js";

/** So large that the window holds four of them. */
const bare = Buffer.alloc(windowBytesMax / 4);

const messageOf = (sequenceNumber: number): StoredMessage => ({
  entityId: 1,
  sequenceNumber,
  enqueuedSequenceNumber: sequenceNumber,
  messageId: String(sequenceNumber),
  sessionId: null,
  enqueuedAtMs: 0,
  expiresAtMs: null,
  scheduledForMs: null,
  timeToLiveMs: null,
  durable: null,
  priority: null,
  annotations: null,
  bare,
  state: "active",
  deliveryCount: 0,
  delivered: false,
  hops: 0,
});

/** Does what a dispatcher and its database do, in an order of chance, and then lets all come through. */
const run = (seed: number): void => {
  const below = seededBelow(seed);
  const window = new ReadyWindow();
  const stored = new Set<number>();
  const out = new Map<number, StoredMessage>();
  const delivered: number[] = [];
  let committed: number[] = [];
  let load: (() => void) | undefined;

  const startLoad = (): void => {
    if (load !== undefined || !window.needsLoad) return;
    const take = window.beginLoad();
    const wereOut = new Set(out.keys());
    // What is read is what is stored now; it is taken in later.
    const found = [...stored]
      .filter((number) => number > window.loadedThrough)
      .sort((one, other) => one - other)
      .slice(0, Math.min(windowCountMax, 4))
      .map(messageOf);
    load = () => take(found, ({ sequenceNumber }) => wereOut.has(sequenceNumber));
  };
  const endLoad = (): void => {
    load?.();
    load = undefined;
  };
  const announce = (): void => {
    for (const number of committed) if (!out.has(number)) window.add(messageOf(number));
    committed = [];
  };
  const deliver = (): void => {
    const message = window.take();
    if (message === undefined) return;
    expect(out.has(message.sequenceNumber), `seed ${seed}: out twice`).toBe(false);
    expect(stored.has(message.sequenceNumber), `seed ${seed}: gone already`).toBe(true);
    out.set(message.sequenceNumber, message);
  };
  const settle = (completes: boolean): void => {
    const [first] = out;
    if (first === undefined) return;
    const [number, message] = first;
    if (completes) {
      stored.delete(number);
      delivered.push(number);
    } else window.add(message);
    out.delete(number);
  };
  const fresh = Array.from({ length: 60 }, (_, index) => index + 1);
  const steps = [
    startLoad,
    endLoad,
    announce,
    deliver,
    () => settle(true),
    () => settle(false),
    () => {
      const [number] = fresh.splice(below(fresh.length), 1);
      if (number === undefined) return;
      // A message is announced right after its commit, before another step of its own can follow.
      stored.add(number);
      committed.push(number);
      if (load === undefined || below(2) === 0) announce();
    },
  ];
  // At most what it holds, and as much again from a load that began when there was little.
  for (let step = 0; step < 600; step += 1) {
    steps[below(steps.length)]?.();
    expect(window.size, `seed ${seed}`).toBeLessThanOrEqual(8);
  }
  for (let step = 0; step < 1000; step += 1) {
    announce();
    endLoad();
    startLoad();
    endLoad();
    deliver();
    settle(true);
  }
  expect([...stored], `seed ${seed}: never delivered`).toEqual([]);
  expect(delivered.length).toBe(60 - fresh.length);
  expect(new Set(delivered).size).toBe(delivered.length);
};

test("messages that come, are given back and are read in any order are each delivered once", () => {
  for (let seed = 1; seed <= 80; seed += 1) run(seed);
});
