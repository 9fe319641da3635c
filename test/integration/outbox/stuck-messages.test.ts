/** Messages that cannot leave cost nobody else anything: not a look at each of them, not a wait, no transaction. */
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { BackgroundSender } from "../../../shared/events/background-sender.js";
import { startOutboxRelay } from "../../../shared/events/outbox-relay.js";
import type { OutgoingMessage, ServiceBus } from "../../../shared/events/service-bus.js";
import { noFaultPoints } from "../../../shared/platform/fault-points.js";
import { blocksPerRound } from "../../support/database/outbox-blocks.js";
import {
  countOf,
  openBankTest,
  silentLogger,
  type BankTest,
} from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
let relay: BackgroundSender | undefined;
beforeAll(async () => {
  bank = await openBankTest();
});
afterEach(async () => {
  await relay?.close();
  await bank.database.execute("truncate borsello.outbox");
});
afterAll(() => bank.end());

const startRelay = (send: ServiceBus["send"]): BackgroundSender => {
  const { database } = bank;
  relay = startOutboxRelay({
    database,
    bus: { send },
    faults: noFaultPoints,
    logger: silentLogger,
  });
  return relay;
};

const write = (partnerKey: string, count: number) =>
  bank.database.execute(
    `insert into borsello.outbox (destinations, session_id, subject, partner_key, body)
     select array[$1, 'platform-events'], gen_random_uuid()::text, 'WalletUpdated', $1, '{}'
     from generate_series(1, $2::integer)`,
    [partnerKey, count],
  );

/** Of so many wallets in turn. */
const writeOfWallets = (wallets: number, count: number) =>
  bank.database.execute(
    `insert into borsello.outbox (destinations, session_id, subject, partner_key, body)
     select '{nowhere,platform-events}', 'wallet-' || number % $1::integer, 'WalletUpdated',
       'nowhere', '{}'
     from generate_series(1, $2::integer) as number`,
    [wallets, count],
  );

/** As they stay after everything but the partner's topic has them. */
const writeStuck = (count: number) =>
  bank.database.execute(
    `insert into borsello.outbox
       (destinations, delivered_to, session_id, subject, partner_key, body)
     select '{nowhere,platform-events}', '{platform-events}', 'wallet-' || number % 1000,
       'WalletUpdated', 'nowhere', '{}' from generate_series(1, $1::integer) as number`,
    [count],
  );

const waitingOf = (partnerKey: string) =>
  countOf(
    bank.database,
    "select count(*) from borsello.outbox where sent_at is null and partner_key = $1",
    [partnerKey],
  );

const refusing: ServiceBus["send"] = async (destination, messages) =>
  destination === "nowhere"
    ? { acknowledged: 0, failure: new Error("there is no such topic") }
    : { acknowledged: messages.length };

test("a round looks at no message that is stuck", async () => {
  await writeStuck(20_000);
  const sending = startRelay(refusing);
  await sending.sweep();
  const blocks = await blocksPerRound(bank.database, 9, async () => {
    await write("acme", 1);
    await sending.sweep();
  });
  await expect.poll(() => waitingOf("acme")).toBe(0);
  expect(blocks).toBeLessThan(300);
  expect(await waitingOf("nowhere")).toBe(20_000);
});

test("nobody waits while a destination that refuses is tried again", async () => {
  const signals = new EventEmitter();
  let tries = 0;
  const sending = startRelay(async (destination, messages) => {
    if (destination !== "nowhere") return { acknowledged: messages.length };
    tries += 1;
    if (tries > 1) {
      signals.emit("tried");
      await once(signals, "answer");
    }
    return { acknowledged: 0, failure: new Error("there is no such topic") };
  });
  await write("nowhere", 1);
  const tried = once(signals, "tried");
  await sending.sweep();
  await tried;
  await write("acme", 150);
  sending.nudge();
  await expect.poll(() => waitingOf("acme")).toBe(0);
  signals.emit("answer");
});

test("a destination that is back gets all that waited for it, each wallet's in order", async () => {
  let isBack = false;
  const arrived: OutgoingMessage[] = [];
  const sending = startRelay(async (destination, messages) => {
    if (destination !== "nowhere") return { acknowledged: messages.length };
    if (!isBack) return { acknowledged: 0, failure: new Error("there is no such topic") };
    arrived.push(...messages);
    return { acknowledged: messages.length };
  });
  await writeOfWallets(5, 250);
  await sending.sweep();
  expect(await waitingOf("nowhere")).toBe(250);
  isBack = true;
  await expect.poll(() => waitingOf("nowhere")).toBe(0);
  const written = await bank.database.rows(
    z.object({ sessionId: z.string(), messageIds: z.array(z.string()) }),
    `select session_id as "sessionId", array_agg(message_id order by outbox_id) as "messageIds"
     from borsello.outbox where partner_key = 'nowhere' group by session_id`,
  );
  expect(written).toHaveLength(5);
  for (const { sessionId, messageIds } of written)
    expect(
      arrived.filter((one) => one.sessionId === sessionId).map(({ messageId }) => messageId),
    ).toEqual(messageIds);
});

test("no transaction is open while the relay waits for the broker", async () => {
  const signals = new EventEmitter();
  const sent = once(signals, "sent");
  const sending = startRelay(async (_destination, messages) => {
    signals.emit("sent");
    await once(signals, "answer");
    return { acknowledged: messages.length };
  });
  const walletId = randomUUID();
  await bank.database.execute(
    `insert into borsello.outbox (destinations, session_id, subject, body)
     values ('{platform-events}', $1, 'WalletUpdated', '{}')`,
    [walletId],
  );
  const sweep = sending.sweep();
  await sent;
  const open = await countOf(
    bank.database,
    `select count(*) from pg_stat_activity
     where datname = current_database() and state like 'idle in transaction%'`,
  );
  signals.emit("answer");
  await sweep;
  expect(open).toBe(0);
  expect(
    await countOf(
      bank.database,
      `select count(*) from pg_locks join pg_database on pg_database.oid = database
       where locktype = 'advisory' and datname = current_database()`,
    ),
  ).toBe(0);
});
