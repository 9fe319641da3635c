/** What a relay claims of a wallet while another one gives it back: its messages from the first, or none. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Queryable } from "../../../shared/database/platform/database.js";
import { claimWaiting } from "../../../shared/database/outbox/outbox.js";
import { openBankTest, type BankTest } from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
beforeAll(async () => {
  bank = await openBankTest();
});
afterAll(() => bank.end());

const write = (sessionId: string, first: number, count: number) =>
  bank.database.execute(
    `insert into borsello.outbox (destinations, session_id, subject, partner_key, entity_version, body)
     select '{acme,platform-events}', $1, 'WalletUpdated', 'acme', number, '{}'
     from generate_series($2::integer, $2::integer + $3::integer - 1) as number`,
    [sessionId, first, count],
  );

const claim = (session: Queryable, limit: number) =>
  claimWaiting(session, { avoided: [], only: null, limit });

/** A session that has claimed what it could, and ends without having sent it. */
const claimFor = async (heldMs: number, limit: number): Promise<void> =>
  bank.database.session(async (session) => {
    await claim(session, limit);
    await delay(heldMs);
  });

// The other wallet's messages are many, so that a claim takes its time to come to the last one.
test("a relay that gives a wallet back leaves none of its messages behind for another", async () => {
  const [walletId, busy] = [randomUUID(), randomUUID()];
  await write(busy, 1, 1);
  let isClaimed: () => void = () => undefined;
  const claimed = new Promise<void>((resolve) => (isClaimed = resolve));
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const holding = bank.database.session(async (session) => {
    await claim(session, 1);
    isClaimed();
    await released;
  });
  await claimed;
  await write(walletId, 1, 1);
  await write(busy, 2, 60_000);
  await write(walletId, 2, 1);
  for (let heldMs = 5; heldMs < 60; heldMs += 5) {
    const dying = claimFor(heldMs, 1);
    await delay(2);
    const versions = await bank.database.session(async (session) => {
      const found = await claim(session, 500);
      return found.map(({ entityVersion }) => Number(entityVersion));
    });
    expect([[], [1], [1, 2]]).toContainEqual(versions);
    await dying;
  }
  release();
  await holding;
});

test("a relay passes by what another one holds, however much of it lies before", async () => {
  await bank.database.execute("delete from borsello.outbox");
  for (let wallet = 0; wallet < 60; wallet += 1) await write(randomUUID(), 1, 1);
  await bank.database.session(async (held) => {
    expect(await claim(held, 20)).toHaveLength(20);
    await bank.database.session(async (session) => {
      expect(await claim(session, 20)).toHaveLength(20);
    });
  });
});
