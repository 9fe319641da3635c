/** The configuration of the broker: what the repository's file says, and what a wrong one is told. */
import { expect, test } from "vitest";
import { parseTopology, readTopology } from "../../../local/broker/topology.js";

const parse = (namespace: Readonly<Record<string, unknown>>) =>
  parseTopology({ UserConfig: { Namespaces: [{ Name: "test", ...namespace }] } });

test("the repository's configuration names the entities that the platform speaks through", async () => {
  const { queues, topics } = await readTopology("servicebus.config.json");
  expect(queues.map(({ path }) => path)).toEqual([
    "bank-notifications",
    "bank-outcomes",
    "bank-mandate-requests",
    "bank-requests",
    "card-processor-events",
    "card-processor-commands",
  ]);
  const subscriptions = topics.flatMap(({ path, subscriptions: each }) =>
    each.map(({ name, settings }) => [path, name, settings.requiresSession]),
  );
  expect(subscriptions).toEqual([
    ["acme", "acme", false],
    ["globex", "globex", false],
    ["initech", "initech", false],
    ["umbrella", "umbrella", false],
    ["platform", "platform", false],
    ["platform-events", "flows", true],
  ]);
  for (const { duplicateWindowMs } of [...queues, ...topics])
    expect(duplicateWindowMs).toBe(10 * 60_000);
});

test("what a configuration leaves out has the service's defaults", () => {
  const { queues } = parse({ Queues: [{ Name: "q" }] });
  expect(queues).toEqual([
    {
      path: "q",
      settings: {
        lockMs: 60_000,
        deliveryCountMax: 10,
        timeToLiveMs: null,
        deadLettersExpired: false,
        requiresSession: false,
        forwardTo: null,
        forwardDeadLettersTo: null,
        status: "Active",
      },
      duplicateWindowMs: null,
    },
  ]);
});

test.each([
  ["PT1M", 60_000],
  ["P14D", 14 * 86_400_000],
  ["P1DT2H3M4.5S", 93_784_500],
  ["PT0.25S", 250],
])("the duration %s is %d milliseconds", (text, expected) => {
  const { queues } = parse({ Queues: [{ Name: "q", Properties: { LockDuration: text } }] });
  expect(queues[0]?.settings.lockMs).toBe(expected);
});

test("a time to live beyond all times is none", () => {
  const { queues } = parse({
    Queues: [{ Name: "q", Properties: { DefaultMessageTimeToLive: "P10675199DT2H48M5.4775807S" } }],
  });
  expect(queues[0]?.settings.timeToLiveMs).toBeNull();
});

test.each([
  ["a duration that is none", { LockDuration: "one minute" }, "one minute"],
  ["an empty duration", { LockDuration: "PT" }, "PT"],
  ["no delivery at all", { MaxDeliveryCount: 0 }, "MaxDeliveryCount"],
  ["a target that is not declared", { ForwardTo: "elsewhere" }, "'elsewhere', which is no queue"],
  [
    "forwarding out of sessions",
    { ForwardTo: "q", RequiresSession: true },
    "'q' requires sessions, so that it cannot forward",
  ],
])("%s stops the start with a sentence about it", (_, properties, told) => {
  expect(() => parse({ Queues: [{ Name: "q", Properties: properties }] })).toThrow(told);
});
