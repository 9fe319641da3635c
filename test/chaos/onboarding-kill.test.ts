/** Six wallets are onboarded while the platform is killed twice: nothing is lost, nothing is doubled. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { customer } from "../../bench/platform/customers.js";
import { onboard } from "../../bench/platform/onboarding.js";
import { startSurvivor, type Survivor } from "../support/durable/survivor.js";

const walletCount = 6;
const firstKillMs = 250 + Math.random() * 500;
const secondKillMs = 250 + Math.random() * 750;

describe(`six onboardings, killed after ${firstKillMs.toFixed(0)} and ${secondKillMs.toFixed(0)} ms`, () => {
  let survivor: Survivor;
  let walletIds: readonly string[];

  beforeAll(async () => {
    survivor = await startSurvivor();
    const onboardings = Promise.all(
      Array.from({ length: walletCount }, async (_, index) =>
        onboard(survivor.send, customer(index), () => undefined),
      ),
    );
    await sleep(firstKillMs);
    await survivor.killAndRestart();
    await sleep(secondKillMs);
    await survivor.killAndRestart();
    walletIds = await onboardings;
    await outboxEmpty(survivor);
  }, 120_000);

  afterAll(async () => {
    await survivor.stop();
  });

  test("all six end Completed", async () => {
    const rows = await survivor.query(
      "select wallet_id, status from borsello.onboarding order by wallet_id",
    );
    expect(rows).toEqual(
      [...walletIds].sort().map((id) => ({ wallet_id: id, status: "Completed" })),
    );
  });

  test("each event was delivered at least once", async () => {
    const events = await survivor.query(
      "select message_id from borsello.outbox where 'acme' = any(destinations)",
    );
    const expected = events.map(({ message_id }) => message_id);
    const arrived = (): Set<unknown> => new Set(survivor.deliveries.map(({ id }) => id));
    await expect.poll(() => expected.filter((id) => !arrived().has(id))).toEqual([]);
    expect(expected.length).toBeGreaterThanOrEqual(walletCount * 3);
  });

  test("no event differs between its deliveries", () => {
    const bodies = new Map<string, Set<string>>();
    for (const { id, body } of survivor.deliveries)
      bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
    expect([...bodies.values()].filter((texts) => texts.size > 1)).toEqual([]);
  });

  test("each euro that arrived was credited once, and the ledger is balanced", async () => {
    // Who repeats a call whose answer was cut has the bank send another transfer.
    const transfers = await survivor.query(
      `select wallet_id, count(*)::int as transfers from borsello.bank_notification
       where status = 'Consumed' group by wallet_id order by wallet_id`,
    );
    expect(transfers.map(({ wallet_id }) => wallet_id)).toEqual([...walletIds].sort());
    const credits = await survivor.query(
      `select wallet_id, count(distinct bank_notification_id)::int as transfers, count(*)::int as credits,
         sum(amount_cents)::int as cents
       from borsello.operation group by wallet_id order by wallet_id`,
    );
    expect(credits).toEqual(
      transfers.map((of) => ({
        ...of,
        credits: of["transfers"],
        cents: Number(of["transfers"]) * 100,
      })),
    );
    const [sums] = await survivor.query(
      `select (select count(*)::int from borsello.entry) as entries,
         (select sum(amount_cents)::int from borsello.entry) as balance,
         (select count(*)::int * 4 from borsello.bank_notification) as expected`,
    );
    // Two when a transfer arrived, two when it was credited.
    expect(sums).toEqual({ entries: sums?.["expected"], balance: 0, expected: sums?.["expected"] });
  });

  test("each mandate was requested of the bank once", async () => {
    const requests = await survivor.query(
      `select mandate_id, count(*)::int as requests from borsello.bank_request
       where kind = 'mandateActivation' group by mandate_id`,
    );
    expect(requests.map(({ requests: count }) => count)).toEqual(Array(walletCount).fill(1));
  });
});

/** Called outside any test, where `expect.poll` may not be. */
const outboxEmpty = (survivor: Survivor): Promise<void> =>
  vi.waitFor(
    async () =>
      expect(await survivor.query("select from borsello.outbox where sent_at is null")).toEqual([]),
    { timeout: 60_000 },
  );
