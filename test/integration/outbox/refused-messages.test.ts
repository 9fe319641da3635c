/** A message that a destination refuses for its own sake holds back its session there, and nobody else. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ServiceBusError } from "@azure/service-bus";
import { z } from "zod";
import { retryWaits } from "../../../shared/database/outbox/held.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { startOutboxRelay, type OutboxRelay } from "../../../shared/events/outbox-relay.js";
import type { OutgoingMessage, ServiceBus } from "../../../shared/events/service-bus.js";
import { noFaultPoints, type FaultPoints } from "../../../shared/platform/fault-points.js";
import { createLogger } from "../../../shared/platform/logger.js";
import { blocksPerRound } from "../../support/database/outbox-blocks.js";
import { countOf, openBankTest, type BankTest } from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
const opened: { close(): Promise<void> }[] = [];

const Line = z.object({ level: z.string(), message: z.string() });
let lines: z.output<typeof Line>[];
const logger = createLogger("warn", (_level, line) => lines.push(Line.parse(JSON.parse(line))));

/** What each destination has taken, as `session:number`. */
let taken: Record<string, string[]>;
/** What it refuses, whole pieces of it, or why it takes nothing. */
let poisoned: Record<string, Set<string>>;
let isAway: Record<string, Error>;

beforeAll(async () => {
  bank = await openBankTest();
});
beforeEach(() => {
  [lines, taken, poisoned, isAway] = [[], {}, {}, {}];
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
  await bank.database.execute(
    "truncate borsello.outbox, borsello.held_message, borsello.given_sequence",
  );
});
afterAll(() => bank.end());

const nameOf = ({ sessionId = "", body }: OutgoingMessage): string =>
  `${sessionId}:${z.object({ number: z.int() }).parse(JSON.parse(body)).number}`;

const bus: Pick<ServiceBus, "send"> = {
  send: async (destination, messages) => {
    const away = isAway[destination];
    if (away !== undefined) return { acknowledged: 0, failure: away };
    const names = messages.map(nameOf);
    const refused = poisoned[destination] ?? new Set();
    if (names.some((name) => refused.has(name)))
      return { acknowledged: 0, failure: new ServiceBusError("no", "MessageSizeExceeded") };
    (taken[destination] ??= []).push(...names);
    return { acknowledged: messages.length };
  },
};

const startRelay = (
  database: Database = bank.database,
  faults: FaultPoints = noFaultPoints,
  broker: Pick<ServiceBus, "send"> = bus,
): OutboxRelay => {
  const relay = startOutboxRelay({ database, bus: broker, faults, logger });
  opened.push(relay);
  return relay;
};

const publish = (sessionId: string, ...numbers: number[]) =>
  bank.database.execute(
    `insert into borsello.outbox (destinations, session_id, subject, partner_key, body)
     select '{acme,platform-events}', $1, 'WalletUpdated', 'acme', json_build_object('number', number)
     from unnest($2::integer[]) as number`,
    [sessionId, numbers],
  );

const refuse = (destination: string, ...names: string[]) => {
  poisoned[destination] = new Set(names);
};

/** As if the wait until the next attempt were over. */
const waitOver = () =>
  bank.database.execute(
    "update borsello.held_message set next_attempt_at = clock_timestamp() where next_attempt_at is not null",
  );

const Held = z.object({
  failures: z.int(),
  waitSeconds: z.number().nullable(),
  isGivenUp: z.boolean(),
});
const held = () =>
  bank.database.rows(
    Held,
    `select failures, given_up_at is not null as "isGivenUp",
       round(extract(epoch from next_attempt_at - last_failed_at))::float8 as "waitSeconds"
     from borsello.held_message order by outbox_id, destination`,
  );

const waiting = () =>
  countOf(bank.database, "select count(*) from borsello.outbox where sent_at is null");

const levels = (level: string) => lines.filter((line) => line.level === level);

const names = (sessionId: string, ...numbers: number[]) =>
  numbers.map((number) => `${sessionId}:${number}`);

test("one refused message among many leaves all others alone, and its own wallet everywhere else", async () => {
  refuse("acme", "sick:2");
  for (let number = 1; number <= 3; number += 1)
    for (const wallet of ["one", "sick", "two"]) await publish(wallet, number);
  const relay = startRelay();
  await relay.sweep();
  await publish("sick", 4);
  await publish("two", 4);
  await relay.sweep();

  const of = (wallet: string, destination: string) =>
    taken[destination]?.filter((name) => name.startsWith(`${wallet}:`));
  expect(of("sick", "acme")).toEqual(names("sick", 1));
  expect(of("one", "acme")).toEqual(names("one", 1, 2, 3));
  expect(of("two", "acme")).toEqual(names("two", 1, 2, 3, 4));
  expect(of("sick", "platform-events")).toEqual(names("sick", 1, 2, 3, 4));
  expect(await waiting()).toBe(3);
  expect(await held()).toEqual([{ failures: 1, waitSeconds: 5, isGivenUp: false }]);
  expect(levels("warn")).toHaveLength(1);
});

test("it is tried again after ever longer waits; then it is given up on, told of once, and its wallet goes on", async () => {
  refuse("acme", "sick:1");
  await publish("sick", 1, 2, 3);
  const relay = startRelay();
  await relay.sweep();
  const waits: (number | null)[] = [];
  for (let attempt = 1; attempt <= retryWaits.length; attempt += 1) {
    const [first, ...others] = await held();
    expect([first?.failures, first?.isGivenUp, others]).toEqual([attempt, false, []]);
    waits.push(first?.waitSeconds ?? null);
    await relay.sweep();
    expect((await held())[0]?.failures).toBe(attempt);
    expect(taken["acme"]).toBeUndefined();
    await waitOver();
    await relay.sweep();
  }
  expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]);
  expect(await held()).toEqual([{ failures: 8, waitSeconds: null, isGivenUp: true }]);
  expect(taken["acme"]).toEqual(names("sick", 2, 3));
  expect(levels("error")).toHaveLength(1);
  expect(await waiting()).toBe(1);
  await publish("sick", 4);
  await relay.sweep();
  expect(taken["acme"]).toEqual(names("sick", 2, 3, 4));
  expect(levels("error")).toHaveLength(1);
});

test("once it is taken, its wallet's messages follow in their order", async () => {
  refuse("acme", "sick:1", "sick:3");
  await publish("sick", 1, 2, 3, 4);
  const relay = startRelay();
  await relay.sweep();
  refuse("acme", "sick:3");
  await waitOver();
  await relay.sweep();
  expect(taken["acme"]).toEqual(names("sick", 1, 2));
  expect(await held()).toEqual([{ failures: 1, waitSeconds: 5, isGivenUp: false }]);
  refuse("acme");
  await waitOver();
  await relay.sweep();
  expect(taken["acme"]).toEqual(names("sick", 1, 2, 3, 4));
  expect([await held(), await waiting()]).toEqual([[], 0]);
});

test("the first wait is over by itself, and whatever relay is there then goes on", async () => {
  refuse("platform-events", "sick:1");
  await publish("sick", 1, 2);
  const first = startRelay();
  await first.sweep();
  await first.close();
  refuse("platform-events");
  await bank.database.execute(
    "update borsello.held_message set next_attempt_at = clock_timestamp() + interval '300 ms'",
  );
  await startRelay().sweep();
  await expect
    .poll(() => taken["platform-events"], { timeout: 5_000 })
    .toEqual(names("sick", 1, 2));
});

test.each([
  ["the broker is away", new Error("read ECONNRESET")],
  ["the topic is missing", new ServiceBusError("no topic", "MessagingEntityNotFound")],
])("while %s no attempt is used up", async (_, failure) => {
  refuse("acme", "sick:1");
  await publish("sick", 1);
  const relay = startRelay();
  await relay.sweep();
  isAway["acme"] = failure;
  for (let sweep = 0; sweep < 12; sweep += 1) {
    await waitOver();
    await relay.sweep();
  }
  expect((await held())[0]?.failures).toBe(1);
  isAway = {};
  refuse("acme");
  await publish("other", 1);
  await expect.poll(() => taken["acme"], { timeout: 10_000 }).toContain("other:1");
  await relay.sweep();
  expect(taken["acme"]).toContain("sick:1");
});

test("what was given up on is tried anew when somebody asks, and holds up nobody", async () => {
  refuse("acme", "sick:1");
  await publish("sick", 1, 2);
  const relay = startRelay();
  await relay.sweep();
  for (let attempt = 1; attempt <= retryWaits.length; attempt += 1) {
    await waitOver();
    await relay.sweep();
  }
  const ask = (destination: string) =>
    countOf(bank.database, `select borsello.retry_held('${destination}')::bigint as count`);
  expect([await ask("acme"), await ask("platform-events")]).toEqual([1, 0]);
  await publish("sick", 3);
  await relay.sweep();
  await expect.poll(held).toEqual([{ failures: 9, waitSeconds: null, isGivenUp: true }]);
  expect(taken["acme"]).toEqual(names("sick", 2, 3));
  refuse("acme");
  expect(await ask("acme")).toBe(1);
  await relay.sweep();
  expect(taken["acme"]).toEqual(names("sick", 2, 3, 1));
  expect([await held(), await waiting(), await ask("acme")]).toEqual([[], 0, 0]);
});

test.each(["relay.beforeSend", "relay.afterSend", "relay.afterMark"])(
  "two relays of which one dies at %s never let a later message pass its refused one",
  async (point) => {
    refuse("acme", "sick:2", "ill:1");
    const other = await openBankTest(bank.url);
    opened.push({ close: () => other.end() });
    let deaths = 4;
    const dying: FaultPoints = {
      hit: (reached) => {
        if (reached === point && deaths-- > 0) throw new Error("died");
      },
    };
    const relays = [startRelay(bank.database, dying), startRelay(other.database)];
    const sweep = async () => {
      await Promise.all(relays.map((relay) => relay.sweep()));
      return waiting();
    };
    for (let number = 1; number <= 6; number += 1) {
      for (const wallet of ["sick", "ill", "well"]) await publish(wallet, number);
      await sweep();
    }
    await expect.poll(sweep).toBe(11);
    const seen = [...new Set(taken["acme"])];
    expect(seen.filter((name) => !name.startsWith("well"))).toEqual(names("sick", 1));
    expect(seen.filter((name) => name.startsWith("well"))).toEqual(names("well", 1, 2, 3, 4, 5, 6));
    refuse("acme");
    await expect
      .poll(async () => {
        await waitOver();
        return sweep();
      })
      .toBe(0);
    for (const wallet of ["sick", "ill"])
      expect([...new Set(taken["acme"])].filter((name) => name.startsWith(wallet))).toEqual(
        names(wallet, 1, 2, 3, 4, 5, 6),
      );
  },
);

/** The relay's statement waits for a lock until it is cancelled, as one is that takes too long. */
const cancelNextUpdate = async (): Promise<void> => {
  const blocking = bank.database.quietTransaction(async (tx) => {
    await tx.execute("lock table borsello.outbox in exclusive mode");
    await expect
      .poll(() =>
        countOf(
          bank.database,
          `select count(*) from (
             select pg_cancel_backend(pid) from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock') as cancelled`,
        ),
      )
      .toBeGreaterThan(0);
  });
  await expect
    .poll(() =>
      countOf(
        bank.database,
        "select count(*) from pg_locks where mode = 'ExclusiveLock' and relation = 'borsello.outbox'::regclass and granted",
      ),
    )
    .toBe(1);
  blocked = blocking;
};
let blocked: Promise<void> = Promise.resolve();

const cutConnections = () =>
  bank.database.execute(
    `select pg_terminate_backend(pid) from pg_locks join pg_database on pg_database.oid = database
     where locktype = 'advisory' and datname = current_database()`,
  );

test.each([
  ["loses its connection", cutConnections],
  ["has its statement cancelled", cancelNextUpdate],
])("a relay that %s after sending sends again, in order, and loses nothing", async (_, disturb) => {
  refuse("acme", "sick:2");
  await publish("sick", 1, 2, 3);
  await publish("well", 1, 2, 3);
  let disturbances = 1;
  const disturbing: Pick<ServiceBus, "send"> = {
    send: async (destination, messages) => {
      const result = await bus.send(destination, messages);
      if (destination === "platform-events" && disturbances-- > 0) await disturb();
      return result;
    },
  };
  const relay = startRelay(bank.database, noFaultPoints, disturbing);
  await relay.sweep();
  await blocked;
  await expect.poll(waiting, { timeout: 5_000 }).toBe(2);
  expect([...new Set(taken["acme"])].sort()).toEqual([
    ...names("sick", 1),
    ...names("well", 1, 2, 3),
  ]);
  expect(taken["platform-events"]).toHaveLength(12);
  refuse("acme");
  await waitOver();
  await expect
    .poll(async () => {
      await relay.sweep();
      return waiting();
    })
    .toBe(0);
  for (const wallet of ["sick", "well"])
    expect([...new Set(taken["acme"])].filter((name) => name.startsWith(wallet))).toEqual(
      names(wallet, 1, 2, 3),
    );
});

test("what waits behind a refused message costs the rounds of others nothing", async () => {
  refuse("acme", "sick:1");
  const count = 1_500;
  await publish("sick", ...Array.from({ length: count }, (_, index) => index + 1));
  const relay = startRelay();
  await expect
    .poll(
      async () => {
        await relay.sweep();
        return taken["platform-events"]?.length;
      },
      { timeout: 20_000 },
    )
    .toBe(count);
  const blocks = await blocksPerRound(bank.database, 9, async (round) => {
    await publish("well", round);
    await relay.sweep();
  });
  expect(taken["acme"]).toHaveLength(9);
  expect(blocks).toBeLessThan(300);
});
