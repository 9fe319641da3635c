/** What the genuine client may rely on with rules that change the copies of what they let pass. */
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { brokerFixture, receiveExactly, type BrokerFixture } from "../../support/broker/broker.js";

let fixture: BrokerFixture;
beforeAll(async () => {
  fixture = await brokerFixture();
});
afterAll(() => fixture.stop());

const manager = () => fixture.client.createRuleManager("news", "ruled");
beforeEach(async () => {
  for await (const rule of manager().listRules())
    // Where there are none, the client's iterator brings one that is undefined.
    if ((rule as unknown) !== undefined) await manager().deleteRule(rule.name);
});

const passed = async (count: number): Promise<ServiceBusReceivedMessage[]> => {
  const message = {
    body: { kept: "as it is" },
    subject: "order",
    correlationId: "c-1",
    applicationProperties: { amount: 100, Kind: "iban", old: true, ratio: 0.5 },
  };
  await fixture.client.createSender("news").sendMessages(message);
  const receiver = fixture.client.createReceiver("news", "ruled", {
    receiveMode: "receiveAndDelete",
  });
  const received = await receiveExactly(receiver, count);
  await receiver.close();
  return received;
};

test("a copy is set and stripped as the action says, each statement after those before it", async () => {
  const sqlExpression =
    "SET total = amount * 2 + 1; SET kind = kind + '-checked'; SET sys.Label = 'seen ' + sys.Label;" +
    " REMOVE old; SET again = total; SET share = ratio / 4; SET sys.To = p(kind); SET nothing = missing";
  await manager().createRule("acts", { sqlExpression: "amount > 10" }, { sqlExpression });
  const [copy] = await passed(1);
  expect(copy).toMatchObject({
    body: { kept: "as it is" },
    subject: "seen order",
    correlationId: "c-1",
    to: "iban-checked",
  });
  expect(copy?.applicationProperties).toEqual({
    amount: 100,
    Kind: "iban-checked",
    ratio: 0.5,
    total: 201,
    again: 201,
    share: 0.125,
    RuleName: "acts",
  });
  const rules = [];
  for await (const rule of manager().listRules()) rules.push(rule);
  expect(rules).toMatchObject([{ name: "acts", action: { sqlExpression } }]);
});

test("each rule with an action makes a copy of its own, all others together one", async () => {
  await manager().createRule("one", { sqlExpression: "1=1" }, { sqlExpression: "SET n = 1" });
  await manager().createRule("two", { correlationId: "c-1" }, { sqlExpression: "SET n = 2" });
  await manager().createRule("plain", { sqlExpression: "amount = 100" });
  await manager().createRule("plainer", { sqlExpression: "1=1" });
  await manager().createRule("never", { sqlExpression: "1=0" }, { sqlExpression: "SET n = 3" });
  const copies = await passed(3);
  expect(
    copies.map(({ applicationProperties = {} }) => [
      applicationProperties["RuleName"],
      applicationProperties["n"],
    ]),
  ).toEqual([
    [undefined, undefined],
    ["one", 1],
    ["two", 2],
  ]);
});

test("a new id is another for each copy; texts do not grow without end", async () => {
  const doubling = "SET t = 'xxxxxxxxxxxxxxxx';" + "SET t = t + t;".repeat(20);
  await manager().createRule("id", { sqlExpression: "1=1" }, { sqlExpression: "SET id = newid()" });
  await manager().createRule("long", { sqlExpression: "1=1" }, { sqlExpression: doubling });
  const first = await passed(2);
  const second = await passed(2);
  const ids = [...first, ...second].flatMap((each) => each.applicationProperties?.["id"] ?? []);
  expect(new Set(ids).size).toBe(2);
  for (const { applicationProperties = {} } of first.slice(1))
    expect(String(applicationProperties["t"] ?? "").length).toBeLessThan(32_768);
});

test.each([
  "SET",
  "SET a 1",
  "REMOVE",
  "DELETE a",
  "SET sys.EnqueuedTime = 1",
  "SET a = 1 SET b = 2",
  "SET a = nothing()",
  "SET a = 1;".repeat(33),
])("the action %j cannot be understood, is refused and not stored", async (sqlExpression) => {
  const made = manager().createRule("broken", { sqlExpression: "1=1" }, { sqlExpression });
  await expect(made).rejects.toThrow("not valid");
  for await (const rule of manager().listRules())
    expect((rule as { name?: string } | undefined)?.name).not.toBe("broken");
});
