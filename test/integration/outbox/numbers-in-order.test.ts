/** Numbers while a partner's topic is away: each wallet's are in order of commit, wherever its messages go. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import type { BackgroundSender } from "../../../shared/events/background-sender.js";
import { startOutboxRelay } from "../../../shared/events/outbox-relay.js";
import { noFaultPoints } from "../../../shared/platform/fault-points.js";
import { openBankTest, silentLogger, type BankTest } from "../../support/wallet/bank-fixtures.js";

const walletId = "0190a6b0-5a51-7000-8000-000000000001";
const Numbered = z.object({ sequence: z.bigint().nullable() });

let bank: BankTest;
let relay: BackgroundSender;
let isAway: boolean;
let arrived: unknown[];

beforeEach(async () => {
  bank = await openBankTest();
  isAway = true;
  arrived = [];
  relay = startOutboxRelay({
    ...{ database: bank.database, faults: noFaultPoints, logger: silentLogger },
    bus: {
      send: async (destination, messages) => {
        if (destination !== "acme") return { acknowledged: messages.length };
        if (isAway) return { acknowledged: 0, failure: new Error("the topic is away") };
        arrived.push(...messages.map((one) => one.applicationProperties?.["sequence"]));
        return { acknowledged: messages.length };
      },
    },
  });
});
afterEach(async () => {
  await relay.close();
  await bank.end();
});

/** To the partner's topic and the platform's own flows, as commands tell; or to the topic alone, as forced ones are. */
const write = (isForced: boolean): Promise<unknown> =>
  bank.database.execute(
    `insert into borsello.outbox (message_id, destinations, session_id, subject, partner_key, entity_version, body)
     select id, case when $2 then array['acme'] else array['acme', 'platform-events'] end, $1,
       'OperationGroupInitialized', 'acme', case when not $2 then 1 end,
       borsello.event_body(id, now(), json_build_object('operationGroupId', id, 'walletId', $1::text,
         'partnerKey', 'acme', 'dealerKey', 'dealer-rome', 'creationDate', borsello.iso(now())))
     from gen_random_uuid() as id`,
    [walletId, isForced],
  );

const waiting = "select sequence from borsello.outbox where sent_at is null";

test("an event that goes to the topic alone has its number before the one that was committed after it", async () => {
  await write(false);
  await relay.sweep();
  // From here on the topic is known to be away.
  await write(false);
  await write(true);
  await write(false);
  await relay.sweep();
  isAway = false;
  await expect
    .poll(async () => {
      await relay.sweep();
      return bank.database.rows(Numbered, waiting);
    })
    .toEqual([]);
  expect(
    await bank.database.rows(Numbered, "select sequence from borsello.outbox order by outbox_id"),
  ).toEqual([{ sequence: 1n }, { sequence: 2n }, { sequence: 3n }, { sequence: 4n }]);
  expect(arrived).toEqual([1, 2, 3, 4]);
});

test("what waits for a topic that is away has its number in its own row: each page of a log reads the others", async () => {
  await write(false);
  await relay.sweep();
  for (let number = 2; number <= 4; number += 1) await write(true);
  await write(false);
  await relay.sweep();
  expect(
    await bank.database.rows(Numbered, "select sequence from borsello.outbox order by outbox_id"),
  ).toEqual([1n, 2n, 3n, 4n, 5n].map((sequence) => ({ sequence })));
  expect(
    await bank.database.rows(Numbered, "select sequence from borsello.given_sequence"),
  ).toEqual([]);
});
