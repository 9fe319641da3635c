/** The documents' sample consumer, killed while it reads and robbed of messages: it takes each event once, in order. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { sender } from "../../bench/platform/onboarding.js";
import { acme, headersFor } from "../../bench/platform/session.js";
import { rowsOf } from "../support/database/connections.js";
import { writtenEvents } from "../support/events/event-judge.js";
import { openPublishers } from "../support/events/event-publishers.js";
import {
  readJournal,
  runSampleConsumer,
  sampleConsumerFile,
  type SampleConsumer,
} from "../support/events/sample-consumer.js";
import { seededBelow } from "../support/platform/seeded-random.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";

const seed = Math.floor(Math.random() * 1_000_000);
const customers = 3;
const kills = 2;
const Replayed = z.object({ count: z.int() });
const stolen = 12;

let stack: TestStack;
let folder: string;
let consumer: SampleConsumer;

beforeAll(async () => {
  [stack, folder] = await Promise.all([
    startTestStack(),
    mkdtemp(join(tmpdir(), "borsello-journal-")),
  ]);
});
afterAll(async () => {
  await consumer.kill();
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

const query = (text: string, values: readonly unknown[] = []) =>
  rowsOf(stack.databaseUrl, text, values);

/** Messages that never come back, as where a subscription was lost with what it held. */
const steal = async (): Promise<void> => {
  const client = new ServiceBusClient(stack.brokerConnectionString);
  const receiver = client.createReceiver(acme.partner, acme.partner, {
    receiveMode: "receiveAndDelete",
  });
  for (let left = stolen; left > 0;) left -= (await receiver.receiveMessages(left)).length;
  await client.close();
};

/** For each customer. */
const oneRound = (): (() => boolean) => {
  let begun = 0;
  return () => (begun += 1) > customers;
};

/**
 * Nothing waits to be sent, for the first time or anew, and nothing in the partner's subscription but what lives
 * that were killed had in hand: that stays locked for a minute.
 */
const untilQuiet = (): Promise<void> =>
  expect
    .poll(() =>
      query(
        `select
          (select count(*)::int from borsello.outbox where sent_at is null) as unsent,
          (select count(*)::int from borsello.replay where ended_at is null) as replays,
          (select count(*) <= $1 from broker.message join broker.entity using (entity_id)
           where path ilike 'acme/%') as "isRead"`,
        [kills],
      ),
    )
    .toEqual([{ unsent: 0, replays: 0, isRead: true }]);

test("the guide shows the file that is run here", async () => {
  const [guide, file] = await Promise.all(
    ["docs/guide/07-events.md", sampleConsumerFile].map((name) => readFile(name, "utf8")),
  );
  expect(guide).toContain(`\n\`\`\`js title="consume-events.mjs"\n${file ?? "?"}\`\`\`\n`);
});

test(`each event is in the journal once, in order, whatever was lost or sent again, seed ${seed}`, async () => {
  const journal = join(folder, "acme.journal");
  const run = () => runSampleConsumer(stack, journal);
  let isOver = false;
  const publishers = await openPublishers(stack.url, { customers, seed, query });
  const publishing = publishers.publish(() => isOver);
  await steal();
  const draw = seededBelow(seed);
  consumer = run();
  for (let kill = 0; kill < kills; kill += 1) {
    const before = (await readJournal(journal)).length;
    await expect.poll(async () => (await readJournal(journal)).length).toBeGreaterThan(before);
    await sleep(draw(200));
    await consumer.kill();
    if (kill === 1) await steal();
    consumer = run();
  }
  isOver = true;
  await publishing;
  await untilQuiet();
  // While it lives, it learns of what it misses by the next number.
  consumer.pause();
  await publishers.publish(oneRound());
  await steal();
  consumer.resume();
  await publishers.publish(oneRound());
  /** Resolves to how many events it was held against: settlement may tell of more meanwhile. */
  const judge = async (): Promise<number> => {
    const written = await writtenEvents(query, acme.partner);
    const has = async () => (await readJournal(journal)).length;
    await expect.poll(has).toBeGreaterThanOrEqual(written.length);
    const lines = (await readJournal(journal)).slice(0, written.length);
    expect(lines.map(({ sequence, event }) => [sequence, JSON.stringify(event)])).toEqual(
      written.map(({ sequence, body }) => [sequence, body]),
    );
    return written.length;
  };
  const judged = await judge();

  const send = sender(stack.url, await headersFor(stack.url, acme));
  const replayed = await send("POST", "/wallet/events/replay", {});
  expect(replayed.status).toBe(202);
  expect(Replayed.parse(replayed.body).count).toBeGreaterThanOrEqual(judged);
  await untilQuiet();
  await publishers.publish(oneRound());
  expect(await judge()).toBeGreaterThan(judged);
  expect(consumer.errors()).toBe("");
}, 180_000);
