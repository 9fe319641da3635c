/** What the genuine administration client may rely on: entities made, read, listed, changed and deleted. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  administrationFixture,
  namesOf,
  type AdministrationFixture,
} from "../../support/broker/administration.js";
import { bodies, codeOf, one, receiveExactly } from "../../support/broker/broker.js";

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await administrationFixture();
});
afterAll(() => fixture.stop());

test("a queue is made as it is described, used, changed and deleted", async () => {
  const { administration, client } = fixture;
  const made = await administration.createQueue("made", {
    lockDuration: "PT45S",
    maxDeliveryCount: 4,
    defaultMessageTimeToLive: "P1DT2H",
    deadLetteringOnMessageExpiration: true,
    requiresDuplicateDetection: true,
    duplicateDetectionHistoryTimeWindow: "PT5M",
    userMetadata: '<notes> & "quotes"',
  });
  expect(made).toMatchObject({
    name: "made",
    lockDuration: "PT45S",
    maxDeliveryCount: 4,
    defaultMessageTimeToLive: "P1DT2H",
    deadLetteringOnMessageExpiration: true,
    requiresDuplicateDetection: true,
    requiresSession: false,
    duplicateDetectionHistoryTimeWindow: "PT5M",
    userMetadata: '<notes> & "quotes"',
    status: "Active",
  });
  expect(await administration.getQueue("made")).toEqual(made);
  expect(await codeOf(administration.createQueue("MADE"))).toBe("MessageEntityAlreadyExistsError");

  const sender = client.createSender("made");
  await sender.sendMessages([
    { body: 1, messageId: "a" },
    { body: 2, messageId: "a" },
    { body: 3, messageId: "b" },
  ]);
  expect(await administration.getQueueRuntimeProperties("made")).toMatchObject({
    name: "made",
    activeMessageCount: 2,
    totalMessageCount: 2,
  });
  const receiver = client.createReceiver("made", { receiveMode: "receiveAndDelete" });
  expect(bodies(await receiveExactly(receiver, 2))).toEqual([1, 3]);

  const updated = await administration.updateQueue({ ...made, maxDeliveryCount: 7 });
  expect(updated.maxDeliveryCount).toBe(7);
  await expect(administration.updateQueue({ ...made, requiresSession: true })).rejects.toThrow(
    "RequiresSession cannot be changed",
  );

  await administration.deleteQueue("made");
  expect(await administration.queueExists("made")).toBe(false);
  expect(await codeOf(administration.getQueue("made"))).toBe("MessageEntityNotFoundError");
  expect(await codeOf(administration.deleteQueue("made"))).toBe("MessageEntityNotFoundError");
  expect(await codeOf(administration.updateQueue(made))).toBe("MessageEntityNotFoundError");
  expect(await codeOf(sender.sendMessages({ body: 4 }))).toBe("MessagingEntityNotFound");
  expect(await codeOf(receiver.receiveMessages(1))).toBe("MessagingEntityNotFound");
});

test("what was deleted and is made again is empty, and counts from the beginning", async () => {
  const { administration, client } = fixture;
  await administration.createQueue("again");
  await client.createSender("again").sendMessages([{ body: 1 }, { body: 2 }]);
  await administration.deleteQueue("again");
  await administration.createQueue("again");
  await client.createSender("again").sendMessages({ body: 3 });
  const receiver = client.createReceiver("again");
  const message = one(await receiver.receiveMessages(5, { maxWaitTimeInMs: 500 }));
  expect([message.body, message.sequenceNumber?.toString()]).toEqual([3, "1"]);
  await receiver.close();
});

test("what is deleted takes nothing along whose name begins alike, neither messages nor links", async () => {
  const { administration, client } = fixture;
  await administration.createQueue("shop");
  await administration.createTopic("shop/orders");
  await administration.createSubscription("shop/orders", "all");
  await administration.createQueue("shop/orders/late");
  const receiver = client.createReceiver("shop/orders/late", { receiveMode: "receiveAndDelete" });
  const next = receiver.receiveMessages(1);
  await client.createSender("shop/orders").sendMessages({ body: "kept" });
  await administration.deleteQueue("shop");
  const orders = client.createReceiver("shop/orders", "all", { receiveMode: "receiveAndDelete" });
  expect(bodies(await receiveExactly(orders, 1))).toEqual(["kept"]);
  await administration.deleteTopic("shop/orders");
  await client.createSender("shop/orders/late").sendMessages({ body: "still open" });
  expect(bodies(await next)).toEqual(["still open"]);
  expect(await administration.queueExists("shop/orders/late")).toBe(true);
  expect(await administration.topicExists("shop/orders")).toBe(false);
  await administration.deleteQueue("shop/orders/late");
});

test("a partner's topic is made with a subscription whose rules choose, and both go together", async () => {
  const { administration, client } = fixture;
  const topic = await administration.createTopic("partner", { requiresDuplicateDetection: true });
  expect(topic).toMatchObject({ name: "partner", requiresDuplicateDetection: true });
  const chosen = await administration.createSubscription("partner", "chosen", {
    maxDeliveryCount: 2,
    defaultRuleOptions: {
      name: "large",
      filter: { correlationId: "c", applicationProperties: { size: 3, kind: "x<y" } },
    },
  });
  expect(chosen).toMatchObject({
    topicName: "partner",
    subscriptionName: "chosen",
    maxDeliveryCount: 2,
  });
  await administration.createSubscription("partner", "all");
  expect(await codeOf(administration.createSubscription("partner", "all"))).toBe(
    "MessageEntityAlreadyExistsError",
  );
  expect(await codeOf(administration.createSubscription("nowhere", "all"))).toBe(
    "MessageEntityNotFoundError",
  );
  const due = new Date("2026-01-02T03:04:05.678Z");
  await administration.createRule("partner", "chosen", "due", { applicationProperties: { due } });
  expect(await administration.getRule("partner", "chosen", "due")).toMatchObject({
    filter: { applicationProperties: { due } },
  });
  expect(await administration.getRule("partner", "chosen", "large")).toMatchObject({
    name: "large",
    filter: { correlationId: "c", applicationProperties: { size: 3, kind: "x<y" } },
  });
  await client.createSender("partner").sendMessages([
    { body: "fits", correlationId: "c", applicationProperties: { size: 3, kind: "x<y" } },
    { body: "does not", correlationId: "c", applicationProperties: { size: 4, kind: "x<y" } },
  ]);
  const receive = (name: string, count: number) =>
    receiveExactly(
      client.createReceiver("partner", name, { receiveMode: "receiveAndDelete" }),
      count,
    );
  expect(bodies(await receive("chosen", 1))).toEqual(["fits"]);
  expect(await administration.getSubscriptionRuntimeProperties("partner", "all")).toMatchObject({
    activeMessageCount: 2,
    totalMessageCount: 2,
  });
  expect(bodies(await receive("all", 2))).toEqual(["fits", "does not"]);
  expect(await administration.getTopicRuntimeProperties("partner")).toMatchObject({
    subscriptionCount: 2,
  });
  const subscriptions: string[] = [];
  for await (const each of administration.listSubscriptions("partner"))
    subscriptions.push(each.subscriptionName);
  expect(subscriptions).toEqual(["all", "chosen"]);

  await administration.updateSubscription({ ...chosen, lockDuration: "PT2M" });
  expect(await administration.getSubscription("partner", "chosen")).toMatchObject({
    lockDuration: "PT2M",
    maxDeliveryCount: 2,
  });
  await administration.deleteSubscription("partner", "chosen");
  expect(await administration.subscriptionExists("partner", "chosen")).toBe(false);
  await administration.deleteTopic("partner");
  expect(await administration.topicExists("partner")).toBe(false);
  expect(await administration.subscriptionExists("partner", "all")).toBe(false);
});

test("rules are made, listed, changed and deleted by name", async () => {
  const { administration, client } = fixture;
  await administration.createTopic("ruled");
  await administration.createSubscription("ruled", "s");
  expect(await namesOf(administration.listRules("ruled", "s"))).toEqual(["$Default"]);
  await administration.deleteRule("ruled", "s", "$Default");
  const rule = await administration.createRule("ruled", "s", "big", {
    sqlExpression: "size > 10 AND kind <> 'x&y'",
  });
  expect(rule).toMatchObject({
    name: "big",
    filter: { sqlExpression: "size > 10 AND kind <> 'x&y'" },
  });
  const again = administration.createRule("ruled", "s", "big", { sqlExpression: "1=1" });
  expect(await codeOf(again)).toBe("MessageEntityAlreadyExistsError");
  await expect(
    administration.createRule("ruled", "s", "broken", { sqlExpression: "size >" }),
  ).rejects.toThrow("not valid");
  await administration.updateRule("ruled", "s", {
    ...rule,
    filter: { sqlExpression: "size > 20" },
  });
  await client.createSender("ruled").sendMessages([
    { body: 15, applicationProperties: { size: 15 } },
    { body: 25, applicationProperties: { size: 25 } },
  ]);
  const receiver = client.createReceiver("ruled", "s", { receiveMode: "receiveAndDelete" });
  expect(bodies(await receiveExactly(receiver, 1))).toEqual([25]);
  await administration.deleteRule("ruled", "s", "big");
  expect(await administration.ruleExists("ruled", "s", "big")).toBe(false);
  expect(await codeOf(administration.deleteRule("ruled", "s", "big"))).toBe(
    "MessageEntityNotFoundError",
  );
  await receiver.close();
  await administration.deleteTopic("ruled");
});

test("lists come in pages, which together are the whole", async () => {
  const { administration } = fixture;
  const names = Array.from({ length: 7 }, (_, index) => `paged-${index}`);
  for (const name of names) await administration.createTopic(name);
  const pages: string[][] = [];
  for await (const page of administration.listTopics().byPage({ maxPageSize: 3 }))
    pages.push(page.map(({ name }) => name));
  expect(pages.map(({ length }) => length)).toEqual([3, 3, 2]);
  expect(pages.flat()).toEqual(["news", ...names]);
  expect(await namesOf(administration.listTopicsRuntimeProperties())).toEqual(["news", ...names]);
  for (const name of names) await administration.deleteTopic(name);
});

test("the configuration's entities are described as it says, the namespace too", async () => {
  const { administration } = fixture;
  expect(await administration.getQueue("brief")).toMatchObject({
    lockDuration: "PT1S",
    maxDeliveryCount: 2,
  });
  expect(await namesOf(administration.listQueues())).toContain("sessions");
  expect(await administration.getNamespaceProperties()).toMatchObject({
    messagingSku: "Standard",
    name: "127.0.0.1",
  });
});
