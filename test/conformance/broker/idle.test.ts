/** What the genuine client may rely on with entities that are deleted when nobody uses them. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  administrationFixture,
  type AdministrationFixture,
} from "../../support/broker/administration.js";

let fixture: AdministrationFixture;
let aheadMs = 0;
beforeAll(async () => {
  const idleClock = { nowMs: () => Date.now() + aheadMs, everyMs: 20 };
  fixture = await administrationFixture({ idleClock });
});
afterAll(() => fixture.stop());

const minute = 60_000;

test("an entity goes when its time is over since it was last sent to, or received from", async () => {
  const { administration, client } = fixture;
  const idle = { autoDeleteOnIdle: "PT10M" };
  await administration.createQueue("idle", idle);
  await administration.createQueue("received", idle);
  await administration.createQueue("for-ever");
  await administration.createTopic("idle-topic", idle);
  await administration.createSubscription("idle-topic", "kept");
  await administration.createTopic("stays");
  await administration.createSubscription("stays", "goes", idle);
  const receiver = client.createReceiver("received");
  let isReceiving = false;
  const subscribed = receiver.subscribe({
    processMessage: async () => void (isReceiving = true),
    processError: async () => undefined,
  });
  await client.createSender("received").sendMessages({ body: "are you there?" });
  await expect.poll(() => isReceiving).toBe(true);
  expect((await administration.getQueue("idle")).autoDeleteOnIdle).toBe("PT10M");

  aheadMs = 9 * minute;
  // What must not happen has had time to happen.
  await sleep(150);
  expect(await administration.queueExists("idle")).toBe(true);

  aheadMs = 11 * minute;
  const existing = () =>
    Promise.all([
      administration.queueExists("idle"),
      administration.queueExists("received"),
      administration.queueExists("for-ever"),
      administration.topicExists("idle-topic"),
      administration.subscriptionExists("idle-topic", "kept"),
      administration.topicExists("stays"),
      administration.subscriptionExists("stays", "goes"),
    ]);
  await expect.poll(existing).toEqual([false, true, true, false, false, true, false]);

  await subscribed.close();
  await receiver.close();
  aheadMs = 30 * minute;
  await expect.poll(() => administration.queueExists("received")).toBe(false);
  await expect(administration.createQueue("short", { autoDeleteOnIdle: "PT1M" })).rejects.toThrow(
    "AutoDeleteOnIdle",
  );
});
