/** What broker triggers do with a message that comes again, fails, or has another one's id; in each state of its handling. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { deliveriesMax, handleMessage } from "../../../functions/broker/handle-message.js";
import { forgetPast } from "../../../functions/schedule/retention.js";
import { receiveNotification } from "../../../shared/database/bank/notifications.js";
import { openDatabase, type Database } from "../../../shared/database/platform/database.js";
import type { DeadLetterReason, LockedMessage } from "../../../shared/events/service-bus.js";
import { createLogger } from "../../../shared/platform/logger.js";
import { DatabaseProxy } from "../../support/database/database-proxy.js";
import {
  openBankTest,
  sctFor,
  silentLogger,
  writeWaitingWallet,
  type BankTest,
} from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
beforeAll(async () => {
  bank = await openBankTest();
});
afterAll(() => bank.end());

const entity = { queue: "bank-notifications" };

interface Delivered {
  readonly messageId?: unknown;
  readonly deliveryCount?: number;
  readonly body: unknown;
}

/** The kit with the bank's handler; `before` and `after` are where something may happen to it. */
const trigger = (database: Database = bank.database) => {
  const dead: (DeadLetterReason & { readonly lockToken: string })[] = [];
  const logged: string[] = [];
  const hooks = {
    handled: 0,
    before: () => Promise.resolve(),
    after: () => Promise.resolve(),
    bury: () => Promise.resolve(),
  };
  const means = {
    database,
    logger: createLogger("info", (_level, line) => void logged.push(line)),
    note: () => undefined,
    bus: {
      send: () => Promise.resolve({ acknowledged: 0 }),
      deadLetter: ({ lockToken }: LockedMessage, reason: DeadLetterReason) => {
        dead.push({ lockToken, ...reason });
        return hooks.bury();
      },
      ask: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
  };
  const deliver = async ({ messageId, deliveryCount = 1, body }: Delivered): Promise<void> =>
    handleMessage(
      means,
      { name: "bankNotifications", entity },
      { triggerMetadata: { messageId, deliveryCount, lockToken: randomUUID() } },
      body,
      async () => {
        await hooks.before();
        hooks.handled += 1;
        await receiveNotification(database, body as ReturnType<typeof sctFor>);
        await hooks.after();
        return undefined;
      },
    );
  return { deliver, hooks, dead, logged };
};

const transfer = async () => sctFor(await writeWaitingWallet(bank.database));

const storedOf = async ({ transactionReference }: ReturnType<typeof sctFor>): Promise<number> =>
  (
    await bank.database.row(
      z.object({ count: z.int() }),
      `select count(*)::int as count from borsello.bank_notification
       where transaction_reference = $1`,
      [transactionReference],
    )
  )?.count ?? 0;

const keptOf = async (messageId: string): Promise<number> =>
  bank.database.execute("select from borsello.inbox where message_id = $1", [messageId]);

test("a message that goes back has a line, and one that was handled none at info", async () => {
  const it = trigger();
  const message = { messageId: randomUUID(), body: await transfer() };
  it.hooks.before = () => Promise.reject(new Error("away"));
  await expect(it.deliver(message)).rejects.toThrow("away");
  it.hooks.before = () => Promise.resolve();
  await it.deliver({ ...message, deliveryCount: 2 });
  expect(it.logged.map((line): unknown => JSON.parse(line))).toMatchObject([
    { level: "warn", message: "A message goes back to the broker.", disposition: "abandon" },
  ]);
});

/** What cuts the handling off, and how often its handler runs for two deliveries of one message. */
const cuts: readonly [string, (it: ReturnType<typeof trigger>) => void, number][] = [
  ["nothing: it was handled and completed, and comes again", () => undefined, 1],
  [
    "a death before the handler",
    ({ hooks }) => {
      hooks.before = () => Promise.reject(new Error("killed"));
    },
    1,
  ],
  [
    "a death between handling and noting that",
    ({ hooks }) => {
      hooks.after = () => Promise.reject(new Error("killed"));
    },
    2,
  ],
];

test.each(cuts)("handled once in effect: %s", async (_name, cut, runs) => {
  const body = await transfer();
  const messageId = randomUUID();
  const it = trigger();
  cut(it);
  await it.deliver({ messageId, body }).catch(() => undefined);
  it.hooks.before = () => Promise.resolve();
  it.hooks.after = () => Promise.resolve();
  await it.deliver({ messageId, body, deliveryCount: 2 });
  expect([it.hooks.handled, await storedOf(body), await keptOf(messageId)]).toEqual([runs, 1, 1]);
  await it.deliver({ messageId, body });
  expect([it.hooks.handled, await storedOf(body), it.dead]).toEqual([runs, 1, []]);
});

test("a message that comes twice at once is stored once and passed over from then on", async () => {
  const body = await transfer();
  const messageId = randomUUID();
  const it = trigger();
  await Promise.all([1, 2, 3].map(() => it.deliver({ messageId, body })));
  const { handled } = it.hooks;
  await it.deliver({ messageId, body });
  expect([await storedOf(body), it.hooks.handled, it.dead]).toEqual([1, handled, []]);
  expect(it.logged.filter((line) => line.includes("at once"))).toEqual([]);
});

test("another body under an id that was handled is dead-lettered, and counts under an id of its own", async () => {
  const [first, second] = [await transfer(), await transfer()];
  const messageId = randomUUID();
  const it = trigger();
  await it.deliver({ messageId, body: first });
  await it.deliver({ messageId, body: second });
  expect(it.dead).toMatchObject([{ reason: "MessageIdReused" }]);
  expect(await storedOf(second)).toBe(0);
  await it.deliver({ messageId: `${messageId}#resent-1`, body: second });
  expect([await storedOf(second), it.dead.length]).toEqual([1, 1]);
});

test("two bodies under one id at once are both handled, and somebody hears of it", async () => {
  const bodies = [await transfer(), await transfer()];
  const messageId = randomUUID();
  const it = trigger();
  let waiting = 0;
  let release = (): void => undefined;
  const both = new Promise<void>((resolve) => {
    release = resolve;
  });
  it.hooks.after = () => {
    waiting += 1;
    if (waiting === 2) release();
    return both;
  };
  await Promise.all(bodies.map((body) => it.deliver({ messageId, body })));
  expect(await Promise.all(bodies.map(storedOf))).toEqual([1, 1]);
  expect(it.logged.filter((line) => line.includes("at once"))).toHaveLength(1);
});

test("the same id on another queue is another message", async () => {
  const messageId = randomUUID();
  const it = trigger();
  await bank.database.execute(
    "insert into borsello.inbox values ('bank-outcomes', $1, sha256('other'))",
    [messageId],
  );
  const body = await transfer();
  await it.deliver({ messageId, body });
  expect([await storedOf(body), it.dead]).toEqual([1, []]);
});

test.each([
  ["none", undefined],
  ["an empty one", ""],
  ["one that is too long", "x".repeat(129)],
  ["one that no database can hold", "a\0b"],
  ["one that came as a number without its last digits", 12_345_678_901_234_567_890],
] as const)("a message without an id that can be kept is handled each time: %s", async (_, id) => {
  const it = trigger();
  for (const body of [await transfer(), await transfer()]) {
    await it.deliver({ messageId: id, body });
    expect([await storedOf(body), it.dead]).toEqual([1, []]);
  }
});

test("an id that came as a number is one all the same", async () => {
  const it = trigger();
  const body = await transfer();
  await it.deliver({ messageId: 20_261_122, body });
  await it.deliver({ messageId: 20_261_122, body });
  expect([it.hooks.handled, await keptOf("20261122")]).toEqual([1, 1]);
});

test("what fails comes back, and its last delivery is dead-lettered with the error, without secrets", async () => {
  const it = trigger();
  const body = await transfer();
  it.hooks.before = () =>
    Promise.reject(new RangeError("no room for IT60X0542811101000000123456, password=hush"));
  for (let deliveryCount = 1; deliveryCount < deliveriesMax; deliveryCount += 1)
    await expect(it.deliver({ messageId: "F1", body, deliveryCount })).rejects.toThrow("no room");
  expect(it.dead).toEqual([]);
  await it.deliver({ messageId: "F1", body, deliveryCount: deliveriesMax });
  expect(it.dead).toMatchObject([
    {
      reason: "HandlingFailed",
      description:
        "Its handling failed 10 times, at last with RangeError: no room for IT60…3456, password=…",
    },
  ]);
  it.hooks.before = () => Promise.resolve();
  await it.deliver({ messageId: "F1", body });
  expect(await storedOf(body)).toBe(1);
});

test("where the broker does not take a dead letter, the message comes back, and is no less known", async () => {
  const it = trigger();
  const [first, second] = [await transfer(), await transfer()];
  const messageId = randomUUID();
  await it.deliver({ messageId, body: first });
  it.hooks.bury = () => Promise.reject(new Error("the session is somebody else's"));
  await expect(it.deliver({ messageId, body: second })).rejects.toThrow("somebody else's");
  it.hooks.bury = () => Promise.resolve();
  await it.deliver({ messageId, body: second, deliveryCount: 2 });
  expect(it.dead.map(({ reason }) => reason)).toEqual(["MessageIdReused", "MessageIdReused"]);
  expect([await storedOf(first), await storedOf(second)]).toEqual([1, 0]);
});

test("the broker counts as many deliveries as the platform does", async () => {
  const configured = (await readFile("servicebus.config.json", "utf8")).matchAll(
    /"MaxDeliveryCount": (\d+)/g,
  );
  expect(new Set([...configured].map(([, count]) => Number(count)))).toEqual(
    new Set([deliveriesMax]),
  );
});

test("what is returned as a reason is not handled: the message counts when it comes under its id again", async () => {
  const it = trigger();
  const means = { messageId: randomUUID(), body: await transfer() };
  it.hooks.before = () => Promise.reject(new Error("not yet"));
  await it.deliver({ ...means, deliveryCount: deliveriesMax });
  it.hooks.before = () => Promise.resolve();
  await it.deliver(means);
  expect([it.dead.length, await storedOf(means.body)]).toEqual([1, 1]);
});

test("a database that is cut off in the middle makes the message wait, and no more than that", async () => {
  const proxy = await DatabaseProxy.before(bank.url);
  const connection = { kind: "url", url: proxy.url } as const;
  const database = openDatabase({ connection, logger: silentLogger });
  try {
    await database.ready();
    const it = trigger(database);
    const [body, messageId] = [await transfer(), randomUUID()];
    it.hooks.after = async () => {
      it.hooks.after = () => Promise.resolve();
      proxy.refuse();
      setTimeout(() => proxy.restore(), 150);
      await Promise.resolve();
    };
    await it.deliver({ messageId, body });
    expect([await storedOf(body), await keptOf(messageId), it.dead]).toEqual([1, 1, []]);
    await it.deliver({ messageId, body });
    expect(it.hooks.handled).toBe(2);
  } finally {
    await database.close();
    await proxy.close();
  }
});

test("ids are forgotten with the messages of their time", async () => {
  await bank.database.execute(
    `insert into borsello.inbox (entity, message_id, body_hash, handled_at)
     select 'old', n, sha256('x'), now() - make_interval(days => case when n <= 2500 then 31 else 29 end)
     from generate_series(1, 2600) as n`,
  );
  const settings = { eventDays: 30, runDays: 30, answerHours: 24, auditDays: null };
  expect((await forgetPast(bank, settings, () => true)).handled).toBe(2_500);
  expect(await bank.database.execute("select from borsello.inbox where entity = 'old'")).toBe(100);
});
