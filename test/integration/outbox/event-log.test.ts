/** The event log: every number once, in order, a prefix at any moment; what is gone from it is told. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { forgetPast } from "../../../functions/schedule/retention.js";
import { EventPage } from "../../../shared/contracts/events/log.js";
import { claimWaiting, recordAttempts } from "../../../shared/database/outbox/outbox.js";
import { eventPage, type EventFilter } from "../../../shared/database/outbox/event-log.js";
import { numberMessages } from "../../../shared/database/outbox/sequences.js";
import type { Database, Queryable } from "../../../shared/database/platform/database.js";
import { openBankTest, type BankTest } from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
beforeAll(async () => {
  bank = await openBankTest();
});
afterEach(async () => {
  await bank.database.execute(
    "truncate borsello.outbox, borsello.given_sequence, borsello.partner_sequence",
  );
  await bank.database.execute("truncate borsello.forgotten_events, borsello.sequence_mark");
});
afterAll(() => bank.end());

const Done = z.object({ done: z.unknown() });

const publish = (
  queryable: Queryable,
  partnerKey: string,
  { sessionId = randomUUID(), subject = "WalletUpdated" } = {},
) =>
  queryable.row(
    Done,
    `select borsello.publish_event($1, $2, $3, 1, json_build_object('walletId', $3::text)) as done`,
    [subject, partnerKey, sessionId],
  );

const numberWaiting = async (session: Queryable, limit = 1_000) => {
  const claimed = await claimWaiting(session, { avoided: [], only: null, limit });
  await numberMessages(session, claimed);
  return claimed;
};

/** As the relay does, as far as the database is concerned. */
const sendWaiting = (database: Database, { sendingMs = 0, limit = 1_000 } = {}) =>
  database.session(async (session) => {
    const claimed = await numberWaiting(session, limit);
    if (sendingMs > 0) await delay(sendingMs);
    await recordAttempts(
      session,
      claimed.flatMap(({ outboxId, destinations }) =>
        destinations.map((deliveredTo) => ({ outboxId, deliveredTo })),
      ),
    );
  });

const whole: EventFilter = { after: 0, from: null, to: null, types: null };

const read = async (change: Partial<EventFilter> = {}, limit = 100, partnerKey = "acme") => {
  const page = await eventPage(bank.database, partnerKey, { ...whole, ...change }, limit);
  if (!page.ok) throw new Error(`refused: ${JSON.stringify(page)}`);
  return EventPage.parse(JSON.parse(page.value));
};

const sequencesOf = ({ items }: EventPage) => items.map(({ sequence }) => sequence);
const oneTo = (count: number, first = 1) =>
  Array.from({ length: count }, (_, index) => first + index);

test("what has a number is in the log before it is sent, with its body word for word", async () => {
  const sessionId = randomUUID();
  await publish(bank.database, "acme", { sessionId });
  expect(await read()).toEqual({ items: [], nextAfter: 0 });
  await bank.database.session(async (session) => {
    const [claimed] = await numberWaiting(session);
    const { items, nextAfter } = await read();
    const body: unknown = JSON.parse(claimed?.body ?? "");
    expect(nextAfter).toBe(1);
    expect(items).toEqual([
      {
        ...{ sequence: 1, id: claimed?.messageId, type: "WalletUpdated", sessionId, body },
        publishedAt: z.looseObject({ messagePublishDate: z.string() }).parse(body)
          .messagePublishDate,
      },
    ]);
  });
  await sendWaiting(bank.database);
  expect(sequencesOf(await read())).toEqual([1]);
  expect(await read({}, 100, "globex")).toEqual({ items: [], nextAfter: 0 });
});

test("whatever relays do meanwhile, who pages by number sees each number once and in order", async () => {
  const second = await openBankTest(bank.url);
  const partners = ["acme", "globex"];
  let isWritten = false;
  let isAllSent = false;
  const writing = Promise.all(
    oneTo(6).map(async (writer) => {
      const sessionId = randomUUID();
      const partnerKey = partners[writer % 2] ?? "";
      for (let number = 1; number <= 40; number += 1)
        await Promise.all([publish(bank.database, partnerKey, { sessionId }), delay(3)]);
    }),
  ).finally(() => (isWritten = true));
  const relaying = Promise.all(
    [bank, second, bank].map(async ({ database }, index) => {
      while (!isWritten) await sendWaiting(database, { sendingMs: index * 10, limit: 4 });
    }),
  )
    .then(() => sendWaiting(bank.database))
    .finally(() => (isAllSent = true));
  const reading = Promise.all(
    partners.map(async (partnerKey) => {
      const seen: number[] = [];
      for (let after = 0; ;) {
        const isLast = isAllSent;
        const page = await read({ after }, 7, partnerKey);
        seen.push(...sequencesOf(page));
        if (isLast && page.nextAfter === after) return seen;
        after = page.nextAfter;
      }
    }),
  );
  await Promise.all([writing, relaying]);
  expect(await reading).toEqual([oneTo(120), oneTo(120)]);
  await second.end();
});

/** Numbers that were sent so many days ago, of the subjects in turn. */
const writeSent = (
  count: number,
  daysOld: number,
  subjects = ["WalletUpdated"],
  partnerKey = "acme",
) =>
  bank.database.execute(
    `with counter as (
       insert into borsello.partner_sequence as p values ($1, $2)
       on conflict (partner_key) do update set last_sequence = p.last_sequence + $2
       returning last_sequence - $2 as begin
     )
     insert into borsello.outbox (destinations, session_id, subject, partner_key, sequence, created_at, sent_at, body)
     select array[$1], 'session', ($4::text[])[1 + number % cardinality($4::text[])], $1, begin + number, at, at,
       json_build_object('id', gen_random_uuid(), 'messagePublishDate', borsello.iso(at))
     from counter, generate_series(1, $2::bigint) as number,
       lateral (select now() - make_interval(days => $3) + number * interval '1 millisecond' as at) as moment`,
    [partnerKey, count, daysOld, subjects],
  );

describe("a filter", () => {
  test("never skips: pages by it are those of the whole log, and end where that ends", async () => {
    await writeSent(25_000, 1, ["WalletUpdated", "WalletUpdated", "WalletUpdated", "StoreCreated"]);
    await bank.database.execute(
      "update borsello.outbox set subject = 'WalletClosed' where sequence in (3, 24990)",
    );
    const pages: EventPage[] = [];
    for (let after = -1, next = 0; next !== after;) {
      after = next;
      const page = await read({ after, types: ["WalletClosed"] });
      pages.push(page);
      next = page.nextAfter;
    }
    expect(pages.flatMap(sequencesOf)).toEqual([3, 24_990]);
    expect(pages.at(-1)).toEqual({ items: [], nextAfter: 25_000 });
    expect(pages.length).toBeLessThan(6);
    const some = await read({ types: ["WalletClosed", "StoreCreated"] }, 3);
    expect([sequencesOf(some), some.nextAfter]).toEqual([[3, 7, 11], 11]);
    // What the last page has looked at beyond its last event is not looked at again.
    const one = await read({ after: 24_990 - 1, types: ["WalletClosed"] }, 2);
    expect([sequencesOf(one), one.nextAfter]).toEqual([[24_990], 25_000]);
  });

  test("of dates takes both ends, to the millisecond that an event shows", async () => {
    await writeSent(5, 1);
    const { items } = await read();
    const [, second, , fourth] = items.map(({ publishedAt }) => new Date(publishedAt));
    const range = { from: second ?? null, to: fourth ?? null };
    expect(sequencesOf(await read(range))).toEqual([2, 3, 4]);
    expect((await read(range)).nextAfter).toBe(5);
  });

  test("of a date begins near it: what came before is not paged through", async () => {
    await writeSent(25_000, 2);
    await bank.database.execute("select borsello.mark_sequences()");
    await delay(2);
    const since = new Date();
    expect(await read({ from: since })).toEqual({ items: [], nextAfter: 25_000 });
    await publish(bank.database, "acme");
    await sendWaiting(bank.database);
    expect(sequencesOf(await read({ from: since }))).toEqual([25_001]);
  });

  test("of dates means platform time, also before the sandbox clock was moved", async () => {
    const move = (hours: number) =>
      bank.database.execute(
        "update borsello.sandbox_clock set offset_ms = offset_ms + $1::bigint * 3600000",
        [hours],
      );
    for (const hours of [5, 24, 0]) {
      await publish(bank.database, "acme");
      await sendWaiting(bank.database);
      await move(hours);
    }
    const { items } = await read();
    const [first, second, third] = items.map(({ publishedAt }) => new Date(publishedAt));
    for (const [from, to, fitting] of [
      [first, first, [1]],
      [second, second, [2]],
      [second, third, [2, 3]],
      [first, second, [1, 2]],
      [third, undefined, [3]],
    ] as const)
      expect(sequencesOf(await read({ from: from ?? null, to: to ?? null }))).toEqual(fitting);
    const between = new Date((second?.getTime() ?? 0) - 3_600_000);
    expect(sequencesOf(await read({ from: first ?? null, to: between }))).toEqual([1]);
  });
});

test("a page holds four megabytes of bodies, or one event alone", async () => {
  await bank.database.execute(
    `insert into borsello.outbox (destinations, session_id, subject, partner_key, sequence, body)
     select '{acme}', 'session', 'WalletUpdated', 'acme', number, json_build_object(
       'messagePublishDate', borsello.iso(now()), 'text', repeat('a', 190000))
     from generate_series(1, 30) as number`,
  );
  const first = await read();
  expect(sequencesOf(first)).toEqual(oneTo(21));
  expect(first.nextAfter).toBe(21);
  expect(sequencesOf(await read({ after: 21 }))).toEqual(oneTo(9, 22));
});

describe("what is forgotten", () => {
  const month = { eventDays: 30, runDays: 30, answerHours: 24, auditDays: null };
  const forget = () => forgetPast(bank, month, () => true);
  const readPage = (change: Partial<EventFilter>) =>
    eventPage(bank.database, "acme", { ...whole, ...change }, 100);

  test("is told to whoever asks for it; who asks for what there is gets all from there on", async () => {
    await writeSent(50, 40);
    await writeSent(20, 3);
    await bank.database.execute(
      "update borsello.outbox set sent_at = null where sequence in (7, 60)",
    );
    expect((await forget()).events).toBe(49);
    expect(await readPage({ after: 49 })).toMatchObject({
      ...{ ok: false, code: "EventsForgotten", properties: { after: "must be at least 50." } },
    });
    expect(sequencesOf(await read({ after: 50 }))).toEqual(oneTo(20, 51));
    // What waits is older than what is gone: it comes by the topic, and not in between here.
    expect(sequencesOf(await read())).toEqual(oneTo(20, 51));
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    expect(await readPage({ from: daysAgo(41) })).toMatchObject({ code: "EventsForgotten" });
    expect(sequencesOf(await read({ from: daysAgo(30) }))).toEqual(oneTo(20, 51));
    expect(sequencesOf(await read({ after: 60, from: daysAgo(41) }))).toEqual(oneTo(10, 61));
  });

  test("is one partner's matter: another one's log is whole", async () => {
    await writeSent(5, 40);
    await writeSent(5, 3, ["WalletUpdated"], "globex");
    await forget();
    expect(sequencesOf(await read({ after: 1 }, 100, "globex"))).toEqual(oneTo(4, 2));
    expect(await read()).toEqual({ items: [], nextAfter: 5 });
  });
});
