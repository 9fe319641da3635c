/** Which partners have a key for the local broker that everybody knows, and what it allows. */
import { expect, test } from "vitest";
import { parseTopology } from "../../../local/broker/topology.js";
import { partnerAccess, partnersWithKey } from "../../../local/partner-keys.js";

const topology = parseTopology({
  UserConfig: {
    Namespaces: [
      {
        Name: "test",
        Queues: [{ Name: "bank-requests" }],
        Topics: [
          { Name: "acme", Subscriptions: [{ Name: "acme" }] },
          { Name: "platform-events", Subscriptions: [{ Name: "flows" }] },
          { Name: "globex", Subscriptions: [{ Name: "audit" }, { Name: "globex" }] },
        ],
      },
    ],
  },
});

test("a topic with a subscription of its own name has a key that listens, others have none", () => {
  expect(partnersWithKey(topology, {})).toEqual(["acme", "globex"]);
  expect(partnerAccess(["acme"])).toEqual([
    {
      path: "acme",
      rules: [
        {
          name: "acme",
          rights: ["Listen"],
          primaryKey: "acme-local-key",
          secondaryKey: "acme-local-key",
        },
      ],
    },
  ]);
});

test("in production there is no key that everybody knows", () => {
  expect(partnersWithKey(topology, { PLATFORM_ENVIRONMENT: "production" })).toEqual([]);
});
