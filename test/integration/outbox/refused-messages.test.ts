/** A message that a destination refuses for its own sake holds back its session there, and nobody else. */
import { ServiceBusError } from "@azure/service-bus";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { retryWaits } from "../../../shared/database/outbox/held.js";
import { blocksPerRound } from "../../support/database/outbox-blocks.js";
import {
  names,
  openRefusingBroker,
  type RefusingBroker,
} from "../../support/events/refusing-broker.js";
import { countOf } from "../../support/wallet/bank-fixtures.js";

let broker: RefusingBroker;
beforeAll(async () => {
  broker = await openRefusingBroker();
});
afterEach(() => broker.reset());
afterAll(() => broker.end());

test("one refused message among many leaves all others alone, and its own wallet everywhere else", async () => {
  broker.refuse("acme", "sick:2");
  for (let number = 1; number <= 3; number += 1)
    for (const wallet of ["one", "sick", "two"]) await broker.publish(wallet, number);
  const relay = broker.startRelay();
  await relay.sweep();
  await broker.publish("sick", 4);
  await broker.publish("two", 4);
  await relay.sweep();

  expect(broker.takenOf("sick", "acme")).toEqual(names("sick", 1));
  expect(broker.takenOf("one", "acme")).toEqual(names("one", 1, 2, 3));
  expect(broker.takenOf("two", "acme")).toEqual(names("two", 1, 2, 3, 4));
  expect(broker.takenOf("sick", "platform-events")).toEqual(names("sick", 1, 2, 3, 4));
  expect(await broker.waiting()).toBe(3);
  expect(await broker.held()).toEqual([{ failures: 1, waitSeconds: 5, isGivenUp: false }]);
  expect(broker.linesOf("warn")).toBe(1);
});

test("it is tried again after ever longer waits; then it is given up on, told of once, and its wallet goes on", async () => {
  broker.refuse("acme", "sick:1");
  await broker.publish("sick", 1, 2, 3);
  const relay = broker.startRelay();
  await relay.sweep();
  const waits: (number | null)[] = [];
  for (let attempt = 1; attempt <= retryWaits.length; attempt += 1) {
    const [first, ...others] = await broker.held();
    expect([first?.failures, first?.isGivenUp, others]).toEqual([attempt, false, []]);
    waits.push(first?.waitSeconds ?? null);
    await relay.sweep();
    expect((await broker.held())[0]?.failures).toBe(attempt);
    expect(broker.taken("acme")).toEqual([]);
    await broker.endWaits();
    await relay.sweep();
  }
  expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]);
  expect(await broker.held()).toEqual([{ failures: 8, waitSeconds: null, isGivenUp: true }]);
  expect(broker.taken("acme")).toEqual(names("sick", 2, 3));
  expect(broker.linesOf("error")).toBe(1);
  expect(await broker.waiting()).toBe(1);
  await broker.publish("sick", 4);
  await relay.sweep();
  expect(broker.taken("acme")).toEqual(names("sick", 2, 3, 4));
  expect(broker.linesOf("error")).toBe(1);
});

test("once it is taken, its wallet's messages follow in their order", async () => {
  broker.refuse("acme", "sick:1", "sick:3");
  await broker.publish("sick", 1, 2, 3, 4);
  const relay = broker.startRelay();
  await relay.sweep();
  broker.refuse("acme", "sick:3");
  await broker.endWaits();
  await relay.sweep();
  expect(broker.taken("acme")).toEqual(names("sick", 1, 2));
  expect(await broker.held()).toEqual([{ failures: 1, waitSeconds: 5, isGivenUp: false }]);
  broker.refuse("acme");
  await broker.endWaits();
  await relay.sweep();
  expect(broker.taken("acme")).toEqual(names("sick", 1, 2, 3, 4));
  expect([await broker.held(), await broker.waiting()]).toEqual([[], 0]);
});

test("the first wait is over by itself, and whatever relay is there then goes on", async () => {
  broker.refuse("platform-events", "sick:1");
  await broker.publish("sick", 1, 2);
  const first = broker.startRelay();
  await first.sweep();
  await first.close();
  broker.refuse("platform-events");
  await broker.database.execute(
    "update borsello.held_message set next_attempt_at = clock_timestamp() + interval '300 ms'",
  );
  await broker.startRelay().sweep();
  await expect.poll(() => broker.taken("platform-events")).toEqual(names("sick", 1, 2));
});

test.each([
  ["the broker is away", new Error("read ECONNRESET")],
  ["the topic is missing", new ServiceBusError("no topic", "MessagingEntityNotFound")],
])("while %s no attempt is used up", async (_, failure) => {
  broker.refuse("acme", "sick:1");
  await broker.publish("sick", 1);
  const relay = broker.startRelay();
  await relay.sweep();
  broker.setAway("acme", failure);
  for (let sweep = 0; sweep < 12; sweep += 1) {
    await broker.endWaits();
    await relay.sweep();
  }
  expect((await broker.held())[0]?.failures).toBe(1);
  broker.setAway("acme", null);
  broker.refuse("acme");
  await broker.publish("other", 1);
  await expect.poll(() => broker.taken("acme")).toContain("other:1");
  await relay.sweep();
  expect(broker.taken("acme")).toContain("sick:1");
});

test("what was given up on is tried anew when somebody asks, and holds up nobody", async () => {
  broker.refuse("acme", "sick:1");
  await broker.publish("sick", 1, 2);
  const relay = broker.startRelay();
  await relay.sweep();
  for (let attempt = 1; attempt <= retryWaits.length; attempt += 1) {
    await broker.endWaits();
    await relay.sweep();
  }
  const ask = (destination: string) =>
    countOf(broker.database, `select borsello.retry_held('${destination}')::bigint as count`);
  expect([await ask("acme"), await ask("platform-events")]).toEqual([1, 0]);
  await broker.publish("sick", 3);
  await relay.sweep();
  await expect
    .poll(() => broker.held())
    .toEqual([{ failures: 9, waitSeconds: null, isGivenUp: true }]);
  expect(broker.taken("acme")).toEqual(names("sick", 2, 3));
  broker.refuse("acme");
  expect(await ask("acme")).toBe(1);
  await relay.sweep();
  expect(broker.taken("acme")).toEqual(names("sick", 2, 3, 1));
  expect([await broker.held(), await broker.waiting(), await ask("acme")]).toEqual([[], 0, 0]);
});

test("no round goes in circles where the rest of its messages' way is blocked, too", async () => {
  broker.refuse("acme", "sick:1");
  broker.setAway("platform-events", new Error("read ECONNRESET"));
  const numbers = Array.from({ length: 150 }, (_, index) => index + 1);
  await broker.publish("sick", ...numbers);
  const relay = broker.startRelay();
  await relay.sweep();
  await broker.publish("well", 1);
  await relay.sweep();
  expect(broker.taken("acme")).toEqual(names("well", 1));
  broker.setAway("platform-events", null);
  await expect.poll(() => broker.taken("platform-events")).toHaveLength(numbers.length + 1);
  expect(broker.takenOf("sick", "platform-events")).toEqual(names("sick", ...numbers));
  expect(broker.takenOf("well", "platform-events")).toEqual(names("well", 1));
  expect(await broker.held()).toHaveLength(1);
});

test("what waits behind a refused message costs the rounds of others nothing", async () => {
  broker.refuse("acme", "sick:1");
  const count = 1_500;
  const rounds = 9;
  const relay = broker.startRelay();
  const costOfRounds = () =>
    blocksPerRound(broker.database, rounds, async (round) => {
      await broker.publish("well", round);
      await relay.sweep();
    });
  const calm = await costOfRounds();
  await broker.publish("sick", ...Array.from({ length: count }, (_, index) => index + 1));
  await expect
    .poll(async () => {
      await relay.sweep();
      return broker.taken("platform-events").length;
    })
    .toBe(count + rounds);
  // What the updates of so many rows left behind, others' cost or not, is the server's to clear away.
  await broker.database.execute("vacuum borsello.outbox");
  const beside = await costOfRounds();
  expect(broker.taken("acme")).toHaveLength(2 * rounds);
  expect(beside).toBeLessThan(2 * calm + count / 10);
});
