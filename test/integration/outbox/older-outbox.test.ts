/** What an older database still had to send: it leaves under the numbers that it was given then, and the next ones. */
import { afterAll, beforeAll, expect, test } from "vitest";
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
