/** Whose key may do what: each key against each deed, and what becomes of keys that are taken away. */
import type {
  AuthorizationRule,
  ServiceBusAdministrationClient,
  ServiceBusClient,
} from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AccessRule, Right } from "../../../local/broker/access/access-rules.js";
import {
  administer,
  administrationFixture,
  namesOf,
  type AdministrationFixture,
} from "../../support/broker/administration.js";
import { bodies, codeOf, connect, one, receiveExactly } from "../../support/broker/broker.js";

const rule = (name: string, ...rights: Right[]): AccessRule => ({
  name,
  rights,
  primaryKey: `${name}-key`,
  secondaryKey: `${name}-second-key`,
});

const wanted = (
  keyName: string,
  accessRights: readonly Right[],
  keys: { readonly primaryKey?: string; readonly secondaryKey?: string } = {},
): AuthorizationRule => ({
  claimType: "SharedAccessKey",
  accessRights: [...accessRights],
  keyName,
  ...keys,
});

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await administrationFixture({
    accessRules: [
      { path: "news", rules: [rule("listener", "Listen"), rule("sender", "Send")] },
      { path: "plain", rules: [rule("neighbour", "Manage", "Send", "Listen")] },
      { path: "sessions", rules: [rule("listener", "Listen")] },
    ],
  });
  // Another entity, though its name begins as that of the topic.
  await fixture.administration.createQueue("news/private");
});
afterAll(() => fixture.stop());

interface Party {
  readonly client: ServiceBusClient;
  readonly administration: ServiceBusAdministrationClient;
}

const partyOf = (keyName: string, key = `${keyName}-key`): Party => ({
  client: connect(fixture.broker.port, { keyName, key, maxRetries: 0 }),
  administration: administer(fixture.broker.port, fixture.ca, key, keyName),
});

const refused = "UnauthorizedAccess";
const refusedOverHttp = "UnauthorizedRequestError";

/** What is done with the topic `news`, and with others; each is answered by a code. */
const deeds: Readonly<Record<string, (party: Party) => Promise<unknown>>> = {
  "peek its subscription": ({ client }) => client.createReceiver("news", "all").peekMessages(1),
  "receive from its subscription": ({ client }) =>
    client.createReceiver("news", "all").receiveMessages(1, { maxWaitTimeInMs: 1 }),
  "receive its dead letters": ({ client }) =>
    client
      .createReceiver("news", "all", { subQueueType: "deadLetter" })
      .receiveMessages(1, { maxWaitTimeInMs: 1 }),
  "peek what could not be forwarded": ({ client }) =>
    client.createReceiver("news", "all", { subQueueType: "transferDeadLetter" }).peekMessages(1),
  "read its rules": ({ client }) => namesOf(client.createRuleManager("news", "ruled").listRules()),
  "add a rule to it": ({ client }) =>
    client.createRuleManager("news", "ruled").createRule(`by-${Math.random()}`, { subject: "a" }),
  "send to its topic": ({ client }) => client.createSender("news").sendMessages({ body: 1 }),
  "schedule on its topic": ({ client }) =>
    client.createSender("news").scheduleMessages({ body: 1 }, new Date(Date.now() + 3_600_000)),
  "receive from another queue": ({ client }) =>
    client.createReceiver("other").receiveMessages(1, { maxWaitTimeInMs: 1 }),
  "peek another queue": ({ client }) => client.createReceiver("other").peekMessages(1),
  "peek a queue whose name begins alike": ({ client }) =>
    client.createReceiver("news/private").peekMessages(1),
  "send to another queue": ({ client }) => client.createSender("other").sendMessages({ body: 1 }),
  "send to a queue that is not there": ({ client }) =>
    client.createSender("nothing").sendMessages({ body: 1 }),
  "read its topic's description": ({ administration }) => administration.getTopic("news"),
  "read its subscription's description": ({ administration }) =>
    administration.getSubscription("news", "all"),
  "list the queues": ({ administration }) => namesOf(administration.listQueues()),
  "list its subscriptions": ({ administration }) => administration.listSubscriptions("news").next(),
  "make a queue": ({ administration }) => administration.createQueue(`made-${Math.random()}`),
  "delete what is not there": ({ administration }) => administration.deleteQueue("nothing"),
  "ask for the namespace": ({ administration }) => administration.getNamespaceProperties(),
};

const outcomes = async (party: Party): Promise<Record<string, unknown>> => {
  const answers: Record<string, unknown> = {};
  for (const [deed, work] of Object.entries(deeds)) answers[deed] = await codeOf(work(party));
  await party.client.close();
  return answers;
};

const overHttp = Object.keys(deeds).slice(-7);
/** Every deed refused but these. */
const only = (allowed: Readonly<Record<string, string>>): Record<string, string> => ({
  ...Object.fromEntries(
    Object.keys(deeds).map((deed) => [deed, overHttp.includes(deed) ? refusedOverHttp : refused]),
  ),
  ...allowed,
});
const listening = {
  "peek its subscription": "none",
  "receive from its subscription": "none",
  "receive its dead letters": "none",
  "peek what could not be forwarded": "none",
};
const sending = { "send to its topic": "none", "schedule on its topic": "none" };

test.each<[string, string, string | undefined, Record<string, string>]>([
  [
    "the root key may all",
    "RootManageSharedAccessKey",
    "SAS_KEY_VALUE",
    {
      ...Object.fromEntries(Object.keys(deeds).map((deed) => [deed, "none"])),
      "send to a queue that is not there": "MessagingEntityNotFound",
      "delete what is not there": "MessageEntityNotFoundError",
    },
  ],
  ["a key that listens takes what is there", "listener", undefined, only(listening)],
  ["its second key does as well", "listener", "listener-second-key", only(listening)],
  ["a key that sends puts there", "sender", undefined, only(sending)],
  ["the key of another entity may nothing", "neighbour", undefined, only({})],
  ["a wrong key may nothing", "listener", "sender-key", only({})],
  ["a name that no key has may nothing", "stranger", undefined, only({})],
])("%s", async (_what, name, key, expected) => {
  expect(await outcomes(partyOf(name, key))).toEqual(expected);
});

test("who manages one entity manages it, and forwards to no other", async () => {
  const { client, administration } = partyOf("neighbour");
  const plain = await administration.getQueue("plain");
  expect(await administration.updateQueue({ ...plain, maxDeliveryCount: 5 })).toMatchObject({
    maxDeliveryCount: 5,
  });
  expect(await codeOf(administration.updateQueue({ ...plain, forwardTo: "other" }))).toBe(
    refusedOverHttp,
  );
  expect(await codeOf(administration.createSubscription("news", "mine"))).toBe(refusedOverHttp);
  await client.createSender("plain").sendMessages({ body: "mine" });
  const receiver = client.createReceiver("plain");
  const message = one(await receiver.receiveMessages(1));
  await receiver.renewMessageLock(message);
  await receiver.completeMessage(message);
  await client.close();
});

test("a listener takes, settles and defers, in sessions too, and changes no entity", async () => {
  const { client } = partyOf("listener");
  await fixture.client.createSender("news").sendMessages([{ body: 1 }, { body: 2 }]);
  const receiver = client.createReceiver("news", "urgent");
  await fixture.client
    .createSender("news")
    .sendMessages({ body: "now", subject: "urgent", applicationProperties: { desk: 7 } });
  const urgent = one(await receiver.receiveMessages(1));
  await receiver.renewMessageLock(urgent);
  await receiver.deferMessage(urgent);
  const deferred = one(await receiver.receiveDeferredMessages(urgent.sequenceNumber ?? []));
  await receiver.deadLetterMessage(deferred);
  const letters = client.createReceiver("news", "urgent", { subQueueType: "deadLetter" });
  await letters.completeMessage(one(await letters.receiveMessages(1)));

  await fixture.client.createSender("sessions").sendMessages({ body: "s", sessionId: "a" });
  const session = await client.acceptNextSession("sessions");
  expect(await session.renewSessionLock()).toBeInstanceOf(Date);
  await session.setSessionState("kept");
  expect(await session.getSessionState()).toBe("kept");
  await session.completeMessage(one(await session.receiveMessages(1)));
  await session.close();
  expect(
    await codeOf(client.createSender("sessions").sendMessages({ body: 1, sessionId: "a" })),
  ).toBe(refused);
  await client.close();
});

test("what is refused reads the same whether there is such an entity or not", async () => {
  const { client, administration } = partyOf("listener");
  const sentence = async (call: Promise<unknown>): Promise<string> => {
    const failure: unknown = await call.then(
      () => "done",
      (error: unknown) => error,
    );
    return failure instanceof Error ? failure.message : String(failure);
  };
  const refusals = (name: string): Promise<string>[] =>
    [
      client.createReceiver(name).peekMessages(1),
      client.createSender(name).sendMessages({ body: 1 }),
      client.acceptSession(name, "a"),
      administration.getQueue(name),
      administration.createQueue(name),
      administration.deleteQueue(name),
    ].map(sentence);
  const there = await Promise.all(refusals("other"));
  const missing = await Promise.all(refusals("nowhere"));
  expect(missing.map((text) => text.replaceAll("nowhere", "other"))).toEqual(there);
  expect(there.filter((text) => text.includes("signature is wrong"))).toHaveLength(6);
  await client.close();
});

test("rules are made, shown, changed and taken away with their entity's description", async () => {
  const { administration, broker } = fixture;
  const made = await administration.createTopic("acme", {
    authorizationRules: [
      wanted("acme", ["Listen"], { primaryKey: "acme-local-key" }),
      wanted("maker", ["Manage", "Send", "Listen"]),
    ],
  });
  await administration.createSubscription("acme", "acme");
  const [own, maker] = made.authorizationRules ?? [];
  expect(own).toMatchObject({
    claimType: "SharedAccessKey",
    keyName: "acme",
    accessRights: ["Listen"],
    primaryKey: "acme-local-key",
  });
  for (const key of [own?.secondaryKey, maker?.primaryKey, maker?.secondaryKey])
    expect(Buffer.from(key ?? "", "base64")).toHaveLength(32);
  expect(await administration.getTopic("acme")).toEqual(made);

  // Who manages the topic makes what belongs to it, and no other entity.
  const { administration: makers, client: makersClient } = partyOf("maker", maker?.primaryKey);
  await makers.createSubscription("acme", "second");
  expect(await namesOf(makers.listRules("acme", "second"))).toEqual(["$Default"]);
  await makers.deleteSubscription("acme", "second");
  expect(await codeOf(makers.createTopic("acme/second"))).toBe(refusedOverHttp);
  await makersClient.close();

  // What says nothing of rules leaves them, and a rule without keys keeps those that it has.
  const without = { ...made };
  delete without.authorizationRules;
  expect((await administration.updateTopic(without)).authorizationRules).toEqual(
    made.authorizationRules,
  );
  const changed = await administration.updateTopic({
    ...made,
    authorizationRules: [wanted("acme", ["Listen"], { primaryKey: "new-key" })],
  });
  expect(changed.authorizationRules).toEqual([{ ...own, primaryKey: "new-key" }]);
  const statusOf = async (key: string): Promise<unknown> => {
    const client = connect(broker.port, { keyName: "acme", key, maxRetries: 0 });
    const code = await codeOf(client.createReceiver("acme", "acme").peekMessages(1));
    await client.close();
    return code;
  };
  expect([
    await statusOf("new-key"),
    await statusOf(own?.secondaryKey ?? ""),
    await statusOf("acme-local-key"),
  ]).toEqual(["none", "none", refused]);
  const bare = await administration.updateTopic({ ...made, authorizationRules: [] });
  expect(bare.authorizationRules).toBeUndefined();
  expect(await statusOf("new-key")).toBe(refused);
  // A topic of the same name later is another one.
  await administration.updateTopic(made);
  await administration.deleteTopic("acme");
  await administration.createTopic("acme");
  await administration.createSubscription("acme", "acme");
  expect(await statusOf("acme-local-key")).toBe(refused);
  await administration.deleteTopic("acme");
});

test.each<[string, AuthorizationRule[], string]>([
  ["without rights", [wanted("a", [])], "rights of an authorization rule"],
  [
    "that manages and does not send",
    [wanted("a", ["Manage", "Listen"])],
    "Send and Listen as well",
  ],
  ["without a name", [wanted("", ["Listen"])], "KeyName is"],
  [
    "whose key ends a connection string",
    [wanted("a", ["Send"], { primaryKey: "a;b" })],
    "PrimaryKey is",
  ],
  ["of another kind", [{ ...wanted("a", ["Send"]), claimType: "Magic" }], "claim type"],
  ["twice", [wanted("a", ["Send"]), wanted("a", ["Listen"])], "same KeyName"],
  [
    "above the twelfth",
    Array.from({ length: 13 }, (_, index) => wanted(`a${index}`, ["Listen"])),
    "12 authorization rules at most",
  ],
])("a rule %s is refused, and nothing is made", async (_what, authorizationRules, told) => {
  const { administration } = fixture;
  await expect(administration.createQueue("ruled", { authorizationRules })).rejects.toThrow(told);
  expect(await administration.queueExists("ruled")).toBe(false);
});

test("a key that is taken away ends what it opened, and its client goes on by the new one", async () => {
  const { administration, broker } = fixture;
  const keys = { primaryKey: "first", secondaryKey: "spare" };
  const topic = await administration.createTopic("rotated", {
    authorizationRules: [wanted("rotated", ["Listen"], keys)],
  });
  await administration.createSubscription("rotated", "rotated");
  const heard: unknown[] = [];
  const problems: unknown[] = [];
  const readBy = (key: string): ServiceBusClient => {
    const client = connect(broker.port, { keyName: "rotated", key });
    client.createReceiver("rotated", "rotated").subscribe({
      processMessage: async ({ body }) => void heard.push([key, body]),
      processError: async ({ error }) => void problems.push(await codeOf(Promise.reject(error))),
    });
    return client;
  };
  const first = readBy("first");
  const sender = fixture.client.createSender("rotated");
  await sender.sendMessages({ body: 1 });
  await expect.poll(() => heard).toEqual([["first", 1]]);
  const second = wanted("rotated", ["Listen"], { primaryKey: "second", secondaryKey: "first" });
  await administration.updateTopic({ ...topic, authorizationRules: [second] });
  await sender.sendMessages({ body: 2 });
  await expect.poll(() => heard.at(-1)).toEqual(["first", 2]);
  await administration.updateTopic({
    ...topic,
    authorizationRules: [{ ...second, secondaryKey: "third" }],
  });
  await expect.poll(() => problems.length).toBeGreaterThan(0);
  expect(new Set(problems)).toEqual(new Set([refused]));
  await sender.sendMessages({ body: 3 });
  const client = readBy("second");
  await expect.poll(() => heard.at(-1)).toEqual(["second", 3]);
  await first.close();
  await client.close();
  const rest = fixture.client.createReceiver("rotated", "rotated");
  expect(bodies(await receiveExactly(rest, 0))).toEqual([]);
});
