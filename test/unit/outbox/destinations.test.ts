/** What the log tells of a destination that takes nothing: once that it waits, once that it needs somebody. */
import { ServiceBusError, type ServiceBusErrorCode } from "@azure/service-bus";
import { expect, test } from "vitest";
import { openDestinations } from "../../../shared/events/destinations.js";
import { createLogger } from "../../../shared/platform/logger.js";

const letter = { sessionId: "wallet", attempts: 0 };
const toOutgoing = () => ({ messageId: "1", subject: "WalletUpdated", body: "{}" });

const levelsAfter = async (sends: number, failure: Error): Promise<string[]> => {
  const levels: string[] = [];
  let failuresLeft = sends;
  const destinations = openDestinations({
    bus: {
      send: async () => (failuresLeft-- > 0 ? { acknowledged: 0, failure } : { acknowledged: 1 }),
    },
    logger: createLogger("info", (level) => levels.push(level)),
  });
  for (let time = 0; time <= sends; time += 1) {
    expect(destinations.health.failing()).toEqual(time === 0 ? [] : ["acme"]);
    await destinations.send("acme", [letter], toOutgoing);
  }
  expect(destinations.health.failing()).toEqual([]);
  return levels;
};

test.each<[string, ServiceBusErrorCode, string[]]>([
  ["is missing", "MessagingEntityNotFound", ["warn", "error", "info"]],
  ["is full", "QuotaExceeded", ["warn", "error", "info"]],
  ["cannot be reached", "ServiceCommunicationProblem", ["warn", "info"]],
])("a destination that %s", async (_, code, levels) => {
  const failure = new ServiceBusError("no", code);
  expect(await levelsAfter(7, failure)).toEqual(["warn", "info"]);
  expect(await levelsAfter(20, failure)).toEqual(levels);
});
