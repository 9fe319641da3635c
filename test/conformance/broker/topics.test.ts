/** What the genuine client may rely on with topics, subscriptions and their rules. */
import type {
  CorrelationRuleFilter,
  RuleProperties,
  ServiceBusMessage,
  ServiceBusRuleManager,
  SqlRuleFilter,
} from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  bodies,
  brokerFixture,
  codeOf,
  one,
  receiveExactly,
  type BrokerFixture,
} from "../../support/broker/broker.js";

let fixture: BrokerFixture;
beforeAll(async () => {
  fixture = await brokerFixture();
});
afterAll(() => fixture.stop());

const publish = (...messages: ServiceBusMessage[]): Promise<void> =>
  fixture.client.createSender("news").sendMessages(messages);

/** So many, and whatever there is beyond them. */
const receiveAll = async (subscription: string, count: number): Promise<unknown[]> => {
  const receiver = fixture.client.createReceiver("news", subscription, {
    receiveMode: "receiveAndDelete",
  });
  const messages = await receiveExactly(receiver, count);
  await receiver.close();
  return bodies(messages);
};

const rulesOf = async (manager: ServiceBusRuleManager): Promise<RuleProperties[]> => {
  const rules: (RuleProperties | undefined)[] = [];
  for await (const rule of manager.listRules()) rules.push(rule);
  // Where there are none, the client's iterator brings one that is undefined.
  return rules.filter((rule) => rule !== undefined);
};

const clear = async (): Promise<void> => {
  for (const subscription of ["all", "sports", "urgent", "ruled"])
    await receiveAll(subscription, 0);
};

test("each subscription gets its own copy of what its rules let pass", async () => {
  await publish(
    { body: "match", applicationProperties: { section: "sport", stars: 4 } },
    { body: "dull match", applicationProperties: { section: "sport", stars: 2 } },
    { body: "flood", subject: "urgent", applicationProperties: { desk: 7 } },
    { body: "wrong desk", subject: "urgent", applicationProperties: { desk: 8 } },
  );
  expect(await receiveAll("sports", 1)).toEqual(["match"]);
  expect(await receiveAll("urgent", 1)).toEqual(["flood"]);
  expect(await receiveAll("all", 4)).toEqual(["match", "dull match", "flood", "wrong desk"]);
  expect(await receiveAll("all", 0)).toEqual([]);
  await clear();
});

test("a copy has its own lock, count and dead letters", async () => {
  await publish({ body: "shared" });
  const receiver = fixture.client.createReceiver("news", "all");
  const message = one(await receiver.receiveMessages(1));
  await receiver.deadLetterMessage(message, {
    deadLetterReason: "mine alone",
    deadLetterErrorDescription: "",
  });
  expect(await receiveAll("ruled", 1)).toEqual(["shared"]);
  const letters = fixture.client.createReceiver("news", "all", {
    subQueueType: "deadLetter",
    receiveMode: "receiveAndDelete",
  });
  expect(one(await letters.receiveMessages(1))).toMatchObject({
    body: "shared",
    deadLetterReason: "mine alone",
  });
  await letters.close();
  await receiver.close();
});

test("a topic drops duplicates for all of its subscriptions", async () => {
  await publish({ body: 1, messageId: "once" });
  await publish({ body: 2, messageId: "once" });
  expect(await receiveAll("all", 1)).toEqual([1]);
  expect(await receiveAll("ruled", 1)).toEqual([1]);
});

test("a message scheduled on a topic reaches the subscriptions when it is due", async () => {
  const sender = fixture.client.createSender("news");
  const dueAt = new Date(Date.now() + 2000);
  const numbers = await sender.scheduleMessages([{ body: "kept" }, { body: "dropped" }], dueAt);
  if (numbers[1]) await sender.cancelScheduledMessages(numbers[1]);
  expect(await receiveAll("all", 1)).toEqual(["kept"]);
  expect(Date.now()).toBeGreaterThanOrEqual(dueAt.getTime());
  expect(await receiveAll("ruled", 1)).toEqual(["kept"]);
});

test("rules can be listed, added and removed, each name once", async () => {
  const manager = fixture.client.createRuleManager("news", "ruled");
  const list = () => rulesOf(manager);
  expect((await list()).map(({ name }) => name)).toEqual(["$Default"]);
  await manager.deleteRule("$Default");
  expect(await list()).toEqual([]);
  await manager.createRule("sql", { sqlExpression: "stars > 3" });
  await manager.createRule("correlated", {
    correlationId: "c-1",
    applicationProperties: { desk: 7 },
  });
  expect(await codeOf(manager.createRule("sql", { sqlExpression: "1=1" }))).toBe(
    "MessagingEntityAlreadyExists",
  );
  expect(await list()).toMatchObject([
    { name: "correlated", filter: { correlationId: "c-1", applicationProperties: { desk: 7 } } },
    { name: "sql", filter: { sqlExpression: "stars > 3" } },
  ]);
  await publish(
    { body: "stars", applicationProperties: { stars: 4 } },
    { body: "desk", correlationId: "c-1", applicationProperties: { desk: 7 } },
    { body: "neither", correlationId: "c-1" },
  );
  expect(await receiveAll("ruled", 2)).toEqual(["stars", "desk"]);
  await manager.deleteRule("correlated");
  expect(await codeOf(manager.deleteRule("correlated"))).toBe("MessagingEntityNotFound");
  await receiveAll("all", 0);
});

const cases: readonly [SqlRuleFilter | CorrelationRuleFilter, boolean][] = [
  [{ sqlExpression: "sys.Label = 'deposit' AND amount > 99.5" }, true],
  [{ sqlExpression: "sys.MessageId LIKE 'case-%' AND NOT amount < 100" }, true],
  [{ sqlExpression: "kind IN ('iban', 'mandate') OR [odd name] = 'x'" }, true],
  [{ sqlExpression: "missing IS NULL AND EXISTS(kind) AND user.kind IS NOT NULL" }, true],
  [{ sqlExpression: "(amount - 50) * 2 = 100 AND urgent = TRUE" }, true],
  [{ sqlExpression: "text = 'it''s' AND text NOT LIKE '%!_%' ESCAPE '!'" }, true],
  [{ sqlExpression: "missing <> 'x'" }, false],
  [{ sqlExpression: "NOT (missing = 1)" }, false],
  [{ sqlExpression: "amount = '100'" }, false],
  [{ sqlExpression: "sys.SessionId = 'other'" }, false],
  [{ subject: "deposit", sessionId: "s-1", applicationProperties: { urgent: true } }, true],
  [{ subject: "deposit", applicationProperties: { amount: 101 } }, false],
];

test.each(cases)("the filter %j decides whether a message passes: %s", async (filter, passes) => {
  const manager = fixture.client.createRuleManager("news", "ruled");
  for (const { name } of await rulesOf(manager)) await manager.deleteRule(name);
  await manager.createRule("case", filter);
  await publish({
    body: "subject of the case",
    messageId: `case-${JSON.stringify(filter)}`,
    subject: "deposit",
    sessionId: "s-1",
    applicationProperties: {
      amount: 100,
      kind: "iban",
      urgent: true,
      text: "it's",
      "odd name": "y",
    },
  });
  expect(await receiveAll("ruled", passes ? 1 : 0)).toHaveLength(passes ? 1 : 0);
  await receiveAll("all", 0);
});

test("a filter that cannot be understood is refused and nothing is stored", async () => {
  const manager = fixture.client.createRuleManager("news", "ruled");
  const long = `text = '${"x".repeat(1_024)}'`;
  for (const sqlExpression of [
    ...["amount >", "kind in ()", "what.is = 1", "a = 1 b = 2", "x like 5"],
    long,
  ])
    await expect(manager.createRule("broken", { sqlExpression })).rejects.toThrow("not valid");
  expect((await rulesOf(manager)).map(({ name }) => name)).not.toContain("broken");
});

test("a topic itself cannot be received from, nor a subscription sent to", async () => {
  await expect(fixture.client.createReceiver("news").receiveMessages(1)).rejects.toThrow(
    "subscriptions",
  );
  const sender = fixture.client.createSender("news/Subscriptions/all");
  expect(await codeOf(sender.sendMessages({ body: 1 }))).not.toBe("none");
});
