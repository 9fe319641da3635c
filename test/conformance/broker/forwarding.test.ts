/** What the genuine client may rely on where entities forward: each message goes on once, at most four times. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  administrationFixture,
  type AdministrationFixture,
} from "../../support/broker/administration.js";
import { bodies, codeOf, one, receiveExactly } from "../../support/broker/broker.js";

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await administrationFixture();
});
afterAll(() => fixture.stop());

const receive = (
  queue: string,
  count: number,
  subQueueType?: "transferDeadLetter" | "deadLetter",
) =>
  receiveExactly(
    fixture.client.createReceiver(queue, {
      receiveMode: "receiveAndDelete",
      ...(subQueueType === undefined ? {} : { subQueueType }),
    }),
    count,
  );
const send = (queue: string, ...messages: object[]): Promise<void> =>
  fixture.client.createSender(queue).sendMessages(messages.map((each) => ({ body: "", ...each })));

test("a queue and a subscription pass on what comes, in order, and what had come before", async () => {
  const { administration, client } = fixture;
  await administration.createQueue("end", { requiresDuplicateDetection: true });
  const queue = await administration.createQueue("begin");
  await send("begin", { body: 0 }, { body: 1 });
  await administration.updateQueue({ ...queue, forwardTo: "end" });
  await send("begin", ...Array.from({ length: 20 }, (_, index) => ({ body: index + 2 })));
  const received = await receive("end", 22);
  expect(bodies(received)).toEqual(Array.from({ length: 22 }, (_, index) => index));
  expect(received.map((each) => Number(each.enqueuedSequenceNumber)).slice(0, 3)).toEqual([
    1, 2, 3,
  ]);
  // The target looks for duplicates, whichever way they come.
  await send("end", { body: "first", messageId: "twice" });
  await send("begin", { body: "second", messageId: "twice" });
  expect(bodies(await receive("end", 1))).toEqual(["first"]);

  await administration.createTopic("starting");
  await administration.createSubscription("starting", "on", { forwardTo: "begin" });
  await send("starting", { body: "two hops" });
  expect(bodies(await receive("end", 1))).toEqual(["two hops"]);
  await expect(client.createReceiver("begin").receiveMessages(1)).rejects.toThrow("forwarded");
  expect((await administration.getQueue("begin")).forwardTo).toMatch(/^sb:\/\/.*\/end$/);
  expect(await administration.getQueueRuntimeProperties("begin")).toMatchObject({
    totalMessageCount: 0,
  });
});

test("a message that goes in a circle ends after four hops, where it can be found", async () => {
  const { administration } = fixture;
  await administration.createQueue("circle-b");
  await administration.createQueue("circle-a", { forwardTo: "circle-b" });
  const second = await administration.getQueue("circle-b");
  await administration.updateQueue({ ...second, forwardTo: "circle-a" });
  await send("circle-a", { body: "round" });
  const message = one(await receive("circle-a", 1, "transferDeadLetter"));
  expect(message).toMatchObject({
    body: "round",
    deadLetterReason: "MaxTransferHopCountExceeded",
  });
  expect(await administration.getQueueRuntimeProperties("circle-a")).toMatchObject({
    totalMessageCount: 0,
  });
});

test("what its target does not take becomes a transfer dead letter, with the reason", async () => {
  const { administration, client } = fixture;
  await administration.createQueue("target", { requiresSession: true });
  await administration.createQueue("source", { forwardTo: "target" });
  await send("source", { body: "with", sessionId: "s" }, { body: "without" });
  const session = await client.acceptSession("target", "s");
  expect(bodies(await session.receiveMessages(1))).toEqual(["with"]);
  await session.close();
  expect(one(await receive("source", 1, "transferDeadLetter"))).toMatchObject({
    body: "without",
    deadLetterReason: "Session ID is null.",
  });
  const target = await administration.getQueue("target");
  await administration.updateQueue({ ...target, status: "Disabled" });
  expect(await codeOf(send("target", { sessionId: "s" }))).toBe("MessagingEntityDisabled");
  await send("source", { body: "disabled", sessionId: "s" });
  expect(one(await receive("source", 1, "transferDeadLetter")).deadLetterReason).toBe(
    "MessagingEntityDisabled",
  );
  await administration.deleteQueue("target");
  await send("source", { body: "gone", sessionId: "s" });
  expect(one(await receive("source", 1, "transferDeadLetter")).deadLetterReason).toBe(
    "MessagingEntityNotFound",
  );
});

test("dead letters go where they are forwarded to, and stay while that is not there", async () => {
  const { administration, client } = fixture;
  await administration.createQueue("letters");
  await administration.createQueue("work", { forwardDeadLetteredMessagesTo: "letters" });
  const bury = async (body: string): Promise<void> => {
    await send("work", { body });
    const receiver = client.createReceiver("work");
    const message = one(await receiver.receiveMessages(1));
    await receiver.deadLetterMessage(message, {
      deadLetterReason: "no use",
      deadLetterErrorDescription: "",
    });
    await receiver.close();
  };
  await bury("one");
  expect(one(await receive("letters", 1))).toMatchObject({
    body: "one",
    deadLetterReason: "no use",
    deadLetterSource: "work",
    deliveryCount: 0,
  });
  await administration.deleteQueue("letters");
  await bury("two");
  expect(await administration.getQueueRuntimeProperties("work")).toMatchObject({
    deadLetterMessageCount: 1,
  });
  await administration.createQueue("letters");
  expect(one(await receive("letters", 1)).body).toBe("two");
});
