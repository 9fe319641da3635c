/** The order in which the relay serves destinations. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { planDeliveries } from "../../../shared/events/delivery-plan.js";
import { DestinationHealth } from "../../../shared/events/destination-health.js";

interface Message {
  readonly id: number;
  readonly destinations: readonly string[];
  readonly deliveredTo: readonly string[];
}

const none = (): boolean => false;
const message = (id: number, destinations: string[], deliveredTo: string[] = []): Message => ({
  id,
  destinations,
  deliveredTo,
});

const shape = (stages: ReturnType<typeof planDeliveries<Message>>) =>
  stages.map((stage) =>
    Object.fromEntries(
      stage.map(({ destination, messages }) => [destination, messages.map(({ id }) => id)]),
    ),
  );

test("partners' topics come first, and the flows' messages keep their order in one delivery", () => {
  const plan = planDeliveries(
    [
      message(1, ["acme", "platform-events"]),
      message(2, ["platform-events"]),
      message(3, ["globex", "platform-events"]),
      message(4, ["bank-requests"]),
    ],
    none,
  );
  expect(shape(plan)).toEqual([
    { acme: [1], globex: [3], "bank-requests": [4] },
    { "platform-events": [1, 2, 3] },
  ]);
});

test("a destination that refuses messages does not hold up the others", () => {
  const plan = planDeliveries(
    [message(1, ["acme", "platform-events"]), message(2, ["globex", "platform-events"])],
    (destination) => destination === "acme",
  );
  expect(shape(plan)).toEqual([{ globex: [2] }, { "platform-events": [1, 2] }]);
});

test("what a destination has is not sent there again", () => {
  const plan = planDeliveries([message(1, ["acme", "platform-events"], ["acme"])], none);
  expect(shape(plan)).toEqual([{ "platform-events": [1] }]);
});

test("every message reaches each of its destinations once, in order", () => {
  const route = fc.constantFrom<string[]>(["acme", "all"], ["globex", "all"], ["all"], ["bank"]);
  fc.assert(
    fc.property(fc.array(route, { maxLength: 40 }), (routes) => {
      const stages = planDeliveries(
        routes.map((destinations, id) => message(id, destinations)),
        none,
      );
      const seen = new Map<string, number[]>();
      for (const { destination, messages } of stages.flat()) {
        expect(seen.has(destination)).toBe(false);
        seen.set(
          destination,
          messages.map(({ id }) => id),
        );
      }
      for (const name of ["acme", "globex", "all", "bank"]) {
        const wanted = routes.flatMap((destinations, id) =>
          destinations.includes(name) ? [id] : [],
        );
        expect(seen.get(name) ?? []).toEqual(wanted);
      }
    }),
  );
});

test("a failing destination is left alone for longer and longer, up to five seconds", () => {
  let now = 0;
  const health = new DestinationHealth(() => now);
  const waits = Array.from({ length: 10 }, () => {
    health.failed("acme");
    const wait = health.nextRetryInMs() ?? 0;
    expect(health.due()).toEqual([]);
    now += wait;
    expect(health.due()).toEqual(["acme"]);
    return wait;
  });
  expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000, 5000]);
  expect(health.nextRetryInMs()).toBeUndefined();
  expect(health.succeeded("acme")).toBe(true);
  expect(health.failing()).toEqual([]);
});
