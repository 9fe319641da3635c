/** Kills the platform and its broker in turn while events are published, and judges what a partner read. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { acme } from "../../../bench/platform/session.js";
import { partnerConnectionString, readTopic } from "../../../bench/platform/topic-reader.js";
import { startFaultPlatform, type FaultPlatform } from "../platform/fault-platform.js";
import { untilNone } from "../platform/progress.js";
import { seededBelow } from "../platform/seeded-random.js";
import { judgeCommands, judgeDeliveries, writtenEvents } from "./event-judge.js";
import { openPublishers, type Publishers } from "./event-publishers.js";

export interface EventKillOptions {
  /** So many at least; each round of kills waits for its share of them. */
  readonly events: number;
  /** In each, platform and broker are killed once, in turn one or the other first. */
  readonly rounds: number;
  readonly customers: number;
  /** From one kill of a round to the other at most: long enough for a start, and for none. */
  readonly betweenMs: number;
  readonly seed: number;
  /** Told of each event that arrived for the first time. */
  readonly arrived?: () => void;
}

export interface EventKillRun {
  readonly events: number;
  /** Deliveries beyond the first of each event, those of the replay among them. */
  readonly redelivered: number;
}

const pollMs = 10;

const unsent = `select count(*)::int as count from borsello.outbox where sent_at is null`;

const underKills = async (
  platform: FaultPlatform,
  { events, rounds, customers, betweenMs, seed, arrived }: EventKillOptions,
): Promise<EventKillRun> => {
  const [seen, replayed] = [new Set<number>(), new Set<number>()];
  const { partner } = acme;
  const connectionString = partnerConnectionString(platform.brokerConnectionString, partner);
  const reader = readTopic(connectionString, partner, ({ sequence, id, messageId }) => {
    if (!seen.has(sequence)) arrived?.();
    seen.add(sequence);
    if (messageId !== id) replayed.add(sequence);
  });
  const query = (text: string, values: readonly unknown[] = []) => platform.query(text, values);
  const draw = seededBelow(seed - 1);
  let over = false;
  const isOver = (): boolean => over;
  const untilSeen = async (count: number): Promise<void> => {
    while (!over && seen.size < count) await sleep(pollMs);
  };
  let toReplay = 0;
  const killInTurn = async (publishers: Publishers): Promise<void> => {
    for (let round = 1; round <= rounds; round += 1) {
      await untilSeen((round * events) / (rounds + 1));
      // The last kills strike the replay, too.
      if (round === rounds) toReplay = await publishers.replay();
      const victims = [() => platform.kill(), () => platform.killBroker()];
      for (const kill of round % 2 === 0 ? victims : victims.toReversed()) {
        await sleep(draw(betweenMs));
        await kill();
      }
    }
    await untilSeen(events);
    over = true;
  };
  /** The others are not left running. */
  const failing = (error: unknown): never => {
    over = true;
    throw error;
  };
  try {
    const publishers = await openPublishers(platform.url, { customers, seed, query });
    const publishing = publishers.publish(isOver).catch(failing);
    await Promise.allSettled([publishing, killInTurn(publishers).catch(failing)]);
    const published = await publishing;

    await untilNone(async () => Number((await query(unsent))[0]?.["count"]));
    const written = await writtenEvents(query, acme.partner);
    await untilNone(() => written.filter(({ sequence }) => !seen.has(sequence)).length);
    await untilNone(() => toReplay - replayed.size);
    expect(Math.max(...replayed)).toBe(toReplay);
    const told = reader.events.filter(({ sequence }) => sequence <= written.length);
    judgeDeliveries(told, written);
    judgeCommands(told, published);
    expect(platform.crashes).toEqual([]);
    const redelivered = told.length - written.length;
    return { events: written.length, redelivered };
  } finally {
    await reader.stop();
  }
};

export const killUnderEvents = async (options: EventKillOptions): Promise<EventKillRun> => {
  const platform = await startFaultPlatform({ isBrokerApart: true });
  try {
    return await underKills(platform, options);
  } finally {
    await platform.end();
  }
};
