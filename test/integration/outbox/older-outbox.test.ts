/** What an older database still had to send: it leaves under the numbers that it was given then, and the next ones. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { eventPage } from "../../../shared/database/outbox/event-log.js";
import { startOutboxRelay } from "../../../shared/events/outbox-relay.js";
import type { OutgoingMessage } from "../../../shared/events/service-bus.js";
import { noFaultPoints } from "../../../shared/platform/fault-points.js";
import { createOlderDatabase } from "../../support/database/older-database.js";
import { openBankTest, silentLogger, type BankTest } from "../../support/wallet/bank-fixtures.js";

const walletId = "0190a6b0-5a51-7000-8000-000000000001";
const groupId = "0190a6b0-5a51-7000-8000-00000000001";

/** One was sent, one was numbered by a relay that died then, one that it tried is with acme alone, one is fresh. */
const rows = `
  insert into borsello.outbox (message_id, destinations, session_id, subject, partner_key,
    entity_version, body)
  select id, array['acme', 'platform-events'], '${walletId}', 'OperationGroupInitialized', 'acme', 1,
    borsello.event_body(id, now(), json_build_object('operationGroupId', id,
      'walletId', '${walletId}', 'partnerKey', 'acme', 'dealerKey', 'dealer-rome',
      'creationDate', borsello.iso(now())))
  from generate_series(1, 4) as n, cast('${groupId}' || n as uuid) as id;
  update borsello.outbox set sequence = 1, sent_at = now(), attempts = 1, delivered_to = '{}'
  where outbox_id = 1;
  update borsello.outbox set sequence = 2, attempts = 1, delivered_to = '{acme}' where outbox_id = 2;
  insert into borsello.given_sequence values (3, 3);
  insert into borsello.partner_sequence values ('acme', 3);`;

const Page = z.object({ items: z.array(z.object({ sequence: z.int() })), nextAfter: z.int() });

let bank: BankTest;
let drop: () => Promise<void>;
beforeAll(async () => {
  const created = await createOlderDatabase("0040", rows);
  bank = await openBankTest(created.url);
  drop = () => created.drop();
});
afterAll(async () => {
  await bank.end();
  await drop();
});

test("each waiting message goes where it has not been, numbered on from where the older version was", async () => {
  const sent: [string, OutgoingMessage][] = [];
  const relay = startOutboxRelay({
    ...{ database: bank.database, faults: noFaultPoints, logger: silentLogger },
    bus: {
      send: async (destination, messages) => {
        sent.push(...messages.map((message): [string, OutgoingMessage] => [destination, message]));
        return { acknowledged: messages.length };
      },
    },
  });
  await relay.sweep();
  await relay.close();
  const numbersAt = (wanted: string) =>
    sent
      .filter(([destination]) => destination === wanted)
      .map(([, { applicationProperties }]) => applicationProperties?.["sequence"]);
  expect(numbersAt("acme")).toEqual([3, 4]);
  expect(numbersAt("platform-events")).toEqual([2, 3, 4]);
});

/** Of acme the first five are gone, of globex all seven, of initech none. */
const forgotten = `
  insert into borsello.outbox (message_id, destinations, session_id, subject, partner_key, sequence,
    created_at, sent_at, body)
  select gen_random_uuid(), array[partner_key], 'none', 'Test', partner_key, number, now(), now(), '{}'
  from (select 'acme', generate_series(6, 9) union select 'initech', generate_series(1, 2))
    as kept (partner_key, number);
  insert into borsello.partner_sequence values ('acme', 9), ('globex', 7), ('initech', 2);`;

test("what an older version has forgotten is told to whoever asks for it", async () => {
  const older = await createOlderDatabase("0042", forgotten);
  const opened = await openBankTest(older.url);
  const read = async (partnerKey: string, after: number, from: Date | null = null) => {
    const page = await eventPage(
      opened.database,
      partnerKey,
      { after, from, to: null, types: null },
      100,
    );
    if (!page.ok) return page;
    const { items, nextAfter } = Page.parse(JSON.parse(page.value));
    return [...items.map(({ sequence }) => sequence), { nextAfter }];
  };
  const refused = { ok: false, code: "EventsForgotten" };
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  expect(await read("acme", 4)).toMatchObject({
    ...refused,
    properties: { after: "must be at least 5." },
  });
  expect(await read("acme", 5)).toEqual([6, 7, 8, 9, { nextAfter: 9 }]);
  expect(await read("acme", 0, daysAgo(90))).toMatchObject(refused);
  expect(await read("acme", 0, daysAgo(1))).toEqual([6, 7, 8, 9, { nextAfter: 9 }]);
  expect(await read("globex", 6)).toMatchObject(refused);
  expect(await read("globex", 7)).toEqual([{ nextAfter: 7 }]);
  expect(await read("initech", 1)).toEqual([2, { nextAfter: 2 }]);
  expect(await read("initech", 0, daysAgo(90))).toEqual([1, 2, { nextAfter: 2 }]);
  await opened.end();
  await older.drop();
});
