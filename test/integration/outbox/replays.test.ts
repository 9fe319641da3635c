/** Replays: what was asked for is sent anew, all of it and in order, whatever breaks meanwhile. */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ServiceBusError } from "@azure/service-bus";
import { z } from "zod";
import { forgetPast } from "../../../functions/schedule/retention.js";
import {
  beginReplay,
  beginReplayOf,
  findLogged,
  retryRefused,
} from "../../../shared/database/outbox/replays.js";
import type { EventFilter } from "../../../shared/database/outbox/event-log.js";
import type { Database } from "../../../shared/database/platform/database.js";
import type { BackgroundSender } from "../../../shared/events/background-sender.js";
import { startEventReplayer } from "../../../shared/events/event-replayer.js";
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
let arrived: { readonly destination: string; readonly message: OutgoingMessage }[];
/** Why a destination takes nothing; and what it refuses for its own sake. */
let away: Error | undefined;
let poisoned: ReadonlySet<number>;
/** So often it fails over the seventh, which may be due to nothing in it. */
let doubtful: number;

beforeAll(async () => {
  bank = await openBankTest();
});
beforeEach(() => {
  [arrived, away, poisoned, doubtful] = [[], undefined, new Set(), 0];
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
  await bank.database.execute(
    "truncate borsello.outbox, borsello.given_sequence, borsello.partner_sequence, borsello.replay",
  );
  await bank.database.execute("truncate borsello.forgotten_events, borsello.held_message");
});
afterAll(() => bank.end());

const sequenceOf = ({ applicationProperties }: OutgoingMessage) =>
  Number(applicationProperties?.["sequence"]);

const bus: Pick<ServiceBus, "send"> = {
  send: async (destination, messages) => {
    await delay(1);
    if (away !== undefined) return { acknowledged: 0, failure: away };
    if (messages.some((message) => sequenceOf(message) === 7) && doubtful-- > 0)
      return { acknowledged: 0, failure: new ServiceBusError("no", "GeneralError") };
    if (messages.some((message) => poisoned.has(sequenceOf(message))))
      return { acknowledged: 0, failure: new ServiceBusError("no", "MessageSizeExceeded") };
    arrived.push(...messages.map((message) => ({ destination, message })));
    return { acknowledged: messages.length };
  },
};

const startReplayer = (
  database: Database = bank.database,
  faults: FaultPoints = noFaultPoints,
): BackgroundSender => {
  const replayer = startEventReplayer({ database, bus, faults, logger: silentLogger });
  opened.push(replayer);
  return replayer;
};

/** Events that have arrived, of four wallets and two kinds in turn. */
const writeSent = (count: number, partnerKey = "acme", daysOld = 1) =>
  bank.database.execute(
    `with counter as (
       insert into borsello.partner_sequence as p values ($1, $2)
       on conflict (partner_key) do update set last_sequence = p.last_sequence + $2
       returning last_sequence - $2 as begin
     )
     insert into borsello.outbox
       (destinations, session_id, subject, partner_key, sequence, created_at, sent_at, entity_version, body)
     select array[$1], 'wallet-' || number % 4, (array['WalletUpdated', 'StoreUpdated'])[1 + number % 2], $1,
       begin + number, at, at, number, json_build_object('number', number)
     from counter, generate_series(1, $2::bigint) as number,
       lateral (select now() - make_interval(days => $3) + number * interval '1 second' as at) as moment`,
    [partnerKey, count, daysOld],
  );

const whole: EventFilter = { after: 0, from: null, to: null, types: null };
const begin = async (change: Partial<EventFilter> = {}, partnerKey = "acme") => {
  const begun = await beginReplay(
    bank.database,
    { partnerKey, userName: "tester" },
    { ...whole, ...change },
  );
  return begun.ok ? begun.value : begun.code;
};

const sequences = () => arrived.map(({ message }) => sequenceOf(message));
const oneTo = (count: number, first = 1) =>
  Array.from({ length: count }, (_, index) => first + index);
const open = () =>
  countOf(bank.database, "select count(*) from borsello.replay where ended_at is null");

/** Sweeps until no replay is open. */
const untilOver = (...replayers: readonly BackgroundSender[]) =>
  expect
    .poll(
      async () => {
        await Promise.all(replayers.map((replayer) => replayer.sweep()));
        return open();
      },
      { interval: 20 },
    )
    .toBe(0);

test("sends each event as it was, under an id of the replay's own, in order of its numbers", async () => {
  await writeSent(250);
  await writeSent(5, "globex");
  expect(await begin({ after: 30 })).toBe(220);
  expect(await begin({ after: 240, types: ["StoreUpdated"] })).toBe(5);
  const replayer = startReplayer();
  await untilOver(replayer);
  const Row = z.object({
    sequence: z.bigint(),
    id: z.string(),
    body: z.string(),
    session: z.string(),
  });
  const rows = await bank.database.rows(
    Row,
    `select sequence, message_id as id, body::text, session_id as session from borsello.outbox
     where partner_key = 'acme'`,
  );
  const first = arrived.filter(({ message }) => message.messageId.endsWith("#1"));
  expect(first.map(({ message }) => sequenceOf(message))).toEqual(oneTo(220, 31));
  for (const { destination, message } of first) {
    const row = rows.find(({ sequence }) => Number(sequence) === sequenceOf(message));
    expect([destination, message]).toMatchObject([
      "acme",
      {
        ...{ messageId: `${row?.id}#1`, body: row?.body, sessionId: row?.session },
        applicationProperties: { "cloudEvents:id": row?.id, entityVersion: sequenceOf(message) },
      },
    ]);
  }
  const second = arrived.filter(({ message }) => message.messageId.endsWith("#2"));
  expect(second.map(({ message }) => sequenceOf(message))).toEqual([241, 243, 245, 247, 249]);
});

test("a page looks at so many numbers, also where none of them fits: no statement takes longer than it may", async () => {
  await writeSent(4);
  await bank.database.execute("update borsello.outbox set sequence = 250000 where sequence = 4");
  await bank.database.execute("update borsello.partner_sequence set last_sequence = 250000");
  expect(await begin({ after: 2, types: ["WalletUpdated"] })).toBe(1);
  let pages = 0;
  const replayer = startReplayer(bank.database, {
    hit: (reached) => {
      if (reached === "replay.afterMark") pages += 1;
    },
  });
  await untilOver(replayer);
  expect(sequences()).toEqual([250_000]);
  expect(pages).toBe(3);
});

test("a broker that fails over an event and cannot say why is asked again: the event is not left out", async () => {
  await writeSent(10);
  await begin();
  // The whole page, parts of it, the event alone.
  doubtful = 6;
  await untilOver(startReplayer());
  expect(new Set(sequences())).toEqual(new Set(oneTo(10)));
});

test("an event alone is sent alone; another partner's is none of the caller's", async () => {
  await writeSent(9);
  const [row] = await bank.database.rows(
    z.object({ id: z.string() }),
    "select message_id as id from borsello.outbox where sequence = 4",
  );
  const id = row?.id ?? "";
  expect(await findLogged(bank.database, "globex", id)).toBeUndefined();
  const logged = await findLogged(bank.database, "acme", id);
  if (logged === undefined) throw new Error("the log does not have it");
  const asker = { partnerKey: "acme", userName: "tester" };
  expect(await beginReplayOf(bank.database, asker, logged)).toMatchObject({ ok: true, value: 1 });
  await untilOver(startReplayer());
  expect(arrived.map(({ message }) => message.messageId)).toEqual([`${id}#1`]);
});

test.each(["replay.beforeSend", "replay.afterSend", "replay.afterMark"])(
  "one that dies at %s goes on: nothing is missing, and what is repeated has the same id",
  async (point) => {
    await writeSent(350);
    expect(await begin()).toBe(350);
    let deaths = 3;
    const replayer = startReplayer(bank.database, {
      hit: (reached) => {
        if (reached === point && deaths-- > 0) throw new Error("crash");
      },
    });
    await untilOver(replayer);
    expect(deaths).toBeLessThan(0);
    expect([...new Set(sequences())]).toEqual(oneTo(350));
    expect(new Set(arrived.map(({ message }) => message.messageId)).size).toBe(350);
  },
);

test("of several instances one serves a partner at a time: all is sent once and in order", async () => {
  const others = [await openBankTest(bank.url), await openBankTest(bank.url)];
  for (const other of others) opened.push({ close: () => other.end() });
  await writeSent(600);
  await writeSent(300, "globex");
  await begin();
  await begin({}, "globex");
  await untilOver(...[bank, ...others].map(({ database }) => startReplayer(database)));
  for (const [partner, count] of [
    ["acme", 600],
    ["globex", 300],
  ] as const)
    expect(
      arrived.flatMap(({ destination, message }) =>
        destination === partner ? [sequenceOf(message)] : [],
      ),
    ).toEqual(oneTo(count));
});

test("a topic that takes nothing is left alone for a while, and the replay goes on where it was", async () => {
  await writeSent(120);
  await begin();
  const replayer = startReplayer();
  away = new ServiceBusError("no such topic", "MessagingEntityNotFound");
  for (let sweep = 0; sweep < 5; sweep += 1) await replayer.sweep();
  expect(await open()).toBe(1);
  away = undefined;
  await untilOver(replayer);
  expect(sequences()).toEqual(oneTo(120));
});

test("waits at what is still on its way to the topic, and passes by what the topic refuses", async () => {
  await writeSent(20);
  await bank.database.execute(
    "update borsello.outbox set sent_at = null where sequence in (5, 9, 11)",
  );
  await bank.database.execute(
    `insert into borsello.held_message (outbox_id, destination, session_id, error, next_attempt_at)
     select outbox_id, 'acme', session_id, 'too large', now() + interval '1 hour' from borsello.outbox
     where sequence = 5`,
  );
  await begin();
  const replayer = startReplayer();
  await expect
    .poll(async () => {
      await replayer.sweep();
      return sequences();
    })
    .toEqual([1, 2, 3, 4, 6, 7, 8, 10]);
  await bank.database.execute("update borsello.outbox set sent_at = now() where sequence = 11");
  await untilOver(replayer);
  expect(sequences()).toEqual(oneTo(20).filter((sequence) => sequence !== 5 && sequence !== 9));
  expect(await retryRefused(bank.database, "acme", { ...whole, types: ["WalletClosed"] })).toBe(0);
  expect(await retryRefused(bank.database, "globex", whole)).toBe(0);
  expect(await retryRefused(bank.database, "acme", whole)).toBe(1);
  expect(
    await countOf(
      bank.database,
      "select count(*) from borsello.held_message where next_attempt_at <= clock_timestamp()",
    ),
  ).toBe(1);
});

test("an event that the topic refuses now is left out: the others of its wallet follow in order", async () => {
  await writeSent(40);
  poisoned = new Set([10]);
  await begin();
  await untilOver(startReplayer());
  const all = oneTo(40).filter((sequence) => sequence !== 10);
  expect([...sequences()].sort((one, other) => one - other)).toEqual(all);
  for (let wallet = 0; wallet < 4; wallet += 1)
    expect(sequences().filter((sequence) => sequence % 4 === wallet)).toEqual(
      all.filter((sequence) => sequence % 4 === wallet),
    );
});

test("what is forgotten meanwhile is left out; a replay without events is none", async () => {
  await writeSent(100, "acme", 40);
  await writeSent(50);
  expect(await begin()).toBe(150);
  const month = { eventDays: 30, runDays: 30, answerHours: 24, auditDays: null };
  await forgetPast(bank, month, () => true);
  await untilOver(startReplayer());
  expect(sequences()).toEqual(oneTo(50, 101));
  expect(await begin({ after: 1 })).toBe("EventsForgotten");
  expect(await begin({ after: 150 })).toBe(0);
  expect(await begin({}, "globex")).toBe(0);
  expect(await open()).toBe(0);
});

test("a partner has ten replays under way at most, numbered one after the other", async () => {
  await writeSent(3);
  const begun = await Promise.all(oneTo(14).map(() => begin()));
  expect(begun.filter((count) => count === 3)).toHaveLength(10);
  expect(begun.filter((code) => code === "ReplaysTooMany")).toHaveLength(4);
  await untilOver(startReplayer());
  expect(new Set(arrived.map(({ message }) => message.messageId.split("#")[1])).size).toBe(10);
  expect(await begin()).toBe(3);
});
