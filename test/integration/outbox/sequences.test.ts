/** The numbers of a partner's messages: 1, 2, 3 … without a gap, whoever writes, relays, fails or dies. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import type { Database, Queryable } from "../../../shared/database/platform/database.js";
import type { BackgroundSender } from "../../../shared/events/background-sender.js";
import { startOutboxRelay } from "../../../shared/events/outbox-relay.js";
import type { OutgoingMessage, ServiceBus } from "../../../shared/events/service-bus.js";
import { noFaultPoints, type FaultPoints } from "../../../shared/platform/fault-points.js";
import {
  countOf,
  openBankTest,
  silentLogger,
  type BankTest,
} from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
const opened: { close(): Promise<void> }[] = [];

interface Arrived {
  readonly destination: string;
  readonly message: OutgoingMessage;
}
let arrived: Arrived[];

beforeEach(async () => {
  bank = await openBankTest();
  arrived = [];
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
  await bank.end();
});

/** Takes everything, a moment later. */
const takingBus: Pick<ServiceBus, "send"> = {
  send: async (destination, messages) => {
    await delay(1);
    arrived.push(...messages.map((message) => ({ destination, message })));
    return { acknowledged: messages.length };
  },
};

const startRelay = (
  database: Database = bank.database,
  {
    bus = takingBus,
    faults = noFaultPoints,
  }: { bus?: typeof takingBus; faults?: FaultPoints } = {},
): BackgroundSender => {
  const relay = startOutboxRelay({ database, bus, faults, logger: silentLogger });
  opened.push(relay);
  return relay;
};

/** Breaks the relay at this point, so many times. */
const breakingAt = (point: string, times: number): FaultPoints => {
  let left = times;
  return {
    hit: (reached) => {
      if (reached === point && left-- > 0) throw new Error("crash");
    },
  };
};

const Done = z.object({ done: z.unknown() });

const publish = (queryable: Queryable, partnerKey: string, walletId: string, number: number) =>
  queryable.row(
    Done,
    `select borsello.publish_event('WalletUpdated', $1, $2, $3,
       json_build_object('walletId', $2::text, 'number', $3::bigint)) as done`,
    [partnerKey, walletId, number],
  );

const sequenceOf = ({ message }: Arrived) => Number(message.applicationProperties?.["sequence"]);

const at = (destination: string): Arrived[] =>
  arrived.filter((one) => one.destination === destination);

const oneTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

const ascending = (numbers: readonly number[]): number[] =>
  [...numbers].sort((one, other) => one - other);

const waiting = () =>
  countOf(bank.database, "select count(*) from borsello.outbox where sent_at is null");

test("writers that roll back and relays that die leave no gap, and each wallet's order is its numbers'", async () => {
  const others = [await openBankTest(bank.url), await openBankTest(bank.url)];
  for (const other of others) opened.push({ close: () => other.end() });
  const relays = [bank, ...others].map(({ database }, index) => {
    const point = ["relay.beforeSend", "relay.afterSend", "relay.beforeSend"][index] ?? "";
    const relay = startRelay(database, { faults: breakingAt(point, 5) });
    database.onCommit(() => {
      relay.nudge();
    });
    return relay;
  });
  const wallets = oneTo(12).map((index) => ({
    walletId: randomUUID(),
    partnerKey: index % 3 === 0 ? "globex" : "acme",
  }));
  const committed: Record<string, number> = { acme: 0, globex: 0 };
  await Promise.all(
    wallets.map(async ({ walletId, partnerKey }, index) => {
      const database = [bank, ...others][index % 3]?.database ?? bank.database;
      for (let number = 1; number <= 25; number += 1) {
        const isUndone = (number + index) % 4 === 0;
        const written = database.transaction(async (tx) => {
          await publish(tx, partnerKey, walletId, number);
          await publish(tx, partnerKey, walletId, number);
          await delay(index % 3);
          if (isUndone) throw new RangeError("undone");
        });
        if (isUndone) await expect(written).rejects.toThrow("undone");
        else {
          await written;
          committed[partnerKey] = (committed[partnerKey] ?? 0) + 2;
        }
      }
    }),
  );
  await expect
    .poll(async () => {
      for (const relay of relays) await relay.sweep();
      return waiting();
    })
    .toBe(0);
  for (const partnerKey of ["acme", "globex"]) {
    const numbers = new Set(at(partnerKey).map(sequenceOf));
    expect(ascending([...numbers])).toEqual(oneTo(committed[partnerKey] ?? 0));
    // Whatever was sent again, and wherever to: the same number.
    const byMessage = new Map<string, Set<number>>();
    for (const one of [...at(partnerKey), ...at("platform-events")]) {
      if (one.message.applicationProperties?.["partnerKey"] !== partnerKey) continue;
      const { messageId } = one.message;
      byMessage.set(messageId, (byMessage.get(messageId) ?? new Set()).add(sequenceOf(one)));
    }
    expect([...byMessage.values()].filter(({ size }) => size !== 1)).toEqual([]);
    expect(byMessage.size).toBe(committed[partnerKey]);
  }
  const inOrder = await bank.database.rows(
    z.object({ sessionId: z.string(), numbers: z.array(z.int()) }),
    `select session_id as "sessionId",
       array_agg((body ->> 'number')::integer order by sequence) as numbers
     from borsello.outbox group by session_id`,
  );
  expect(inOrder).toHaveLength(wallets.length);
  for (const { numbers } of inOrder) expect(numbers).toEqual(ascending(numbers));
});

test("a number that was given before a crash is kept, and others go on after it", async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  await publish(bank.database, "acme", first, 1);
  const dying = startRelay(bank.database, { faults: breakingAt("relay.beforeSend", 1) });
  await dying.sweep();
  await dying.close();
  expect(arrived).toEqual([]);
  await publish(bank.database, "acme", second, 1);
  await startRelay().sweep();
  expect(at("acme").map((one) => [one.message.sessionId, sequenceOf(one)])).toEqual([
    [first, 1],
    [second, 2],
  ]);
  expect(await countOf(bank.database, "select count(*) from borsello.given_sequence")).toBe(0);
});

test("a message that its partner's topic refuses keeps its number until it is taken", async () => {
  const walletId = randomUUID();
  for (const number of oneTo(3)) await publish(bank.database, "acme", walletId, number);
  let isRefusing = true;
  const bus: typeof takingBus = {
    send: async (destination, messages) =>
      destination === "acme" && isRefusing
        ? { acknowledged: 1, failure: new Error("away") }
        : takingBus.send(destination, messages),
  };
  const relay = startRelay(bank.database, { bus });
  await relay.sweep();
  expect(at("platform-events").map(sequenceOf)).toEqual([1, 2, 3]);
  isRefusing = false;
  await publish(bank.database, "acme", walletId, 4);
  await expect.poll(waiting).toBe(0);
  expect(at("acme").map(sequenceOf)).toEqual([2, 3, 4]);
  expect(at("platform-events").map(sequenceOf)).toEqual([1, 2, 3, 4]);
});

test("what goes to the platform's own flows and to the bank takes no number", async () => {
  const walletId = randomUUID();
  await bank.database.execute(
    `select borsello.tell_flows('SctReceived', $1, '{"walletId": "x"}'),
       borsello.request_bank($2, 'mandateActivation', 'acme', null, null, '{"amount": 25}',
         'mandate-1', 'bankOutcome')`,
    [walletId, randomUUID()],
  );
  await publish(bank.database, "acme", walletId, 1);
  await startRelay().sweep();
  expect(
    arrived.map((one) => [one.destination, one.message.applicationProperties?.["sequence"]]).sort(),
  ).toEqual([
    ["acme", 1],
    ["bank-requests", null],
    ["platform-events", null],
    ["platform-events", 1],
  ]);
});

test("no command waits while a relay sends, and none for another one's number", async () => {
  const walletId = randomUUID();
  await publish(bank.database, "acme", walletId, 1);
  let open: () => void = () => undefined;
  const isOpen = new Promise<void>((resolve) => (open = resolve));
  let sending = false;
  const relay = startRelay(bank.database, {
    bus: {
      send: async (destination, messages) => {
        sending = true;
        await isOpen;
        return takingBus.send(destination, messages);
      },
    },
  });
  const sweep = relay.sweep();
  await expect.poll(() => sending).toBe(true);
  await bank.database.quietTransaction(async (tx) => {
    await tx.execute("set local lock_timeout = '1s'");
    await publish(tx, "acme", walletId, 2);
    await publish(tx, "acme", randomUUID(), 3);
  });
  // Another relay numbers what is not this one's meanwhile.
  const second = await openBankTest(bank.url);
  opened.push({ close: () => second.end() });
  await startRelay(second.database).sweep();
  expect(at("acme").map(sequenceOf)).toEqual([2]);
  open();
  await sweep;
  await expect.poll(waiting).toBe(0);
  expect(ascending(at("acme").map(sequenceOf))).toEqual([1, 2, 3]);
});
