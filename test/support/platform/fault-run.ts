/** Inflicts faults on a platform under load, one after the other, and judges what came of it. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { z } from "zod";
import { startFaultPlatform, type FaultPlatform } from "./fault-platform.js";
import { startPartnerLoad, type LoadReport, type PartnerLoad } from "./partner-load.js";

export interface Fault {
  readonly name: string;
  readonly inflict: (platform: FaultPlatform) => Promise<unknown>;
}

export interface FaultRunOptions {
  readonly clients: number;
  readonly onSmallDisk: boolean;
  readonly faults: readonly Fault[];
  /** Load without a fault before the first one, and after each. */
  readonly betweenMs: number;
}

export interface FaultRun extends LoadReport {
  /** Milliseconds from each fault's end until the health was ok. */
  readonly recoveredMs: readonly (readonly [fault: string, ms: number])[];
  readonly deliveries: number;
}

const Arrived = z.object({ transfers: z.int() });

/** Nothing that was acknowledged is lost, nothing is done twice, and nothing is left over. */
const judge = async (
  platform: FaultPlatform,
  load: PartnerLoad,
  { onboarded, begun, answers, wrong }: LoadReport,
): Promise<void> => {
  expect(wrong).toEqual([]);
  const permitted =
    /^(?:2\d\d|503 DependencyUnavailable|cut|400 (?:TaxId|Mandate)\w+|409 (?:TaxId|Mandate)\w+)$/;
  expect(Object.keys(answers).filter((heard) => !permitted.test(heard))).toEqual([]);
  expect(onboarded.length).toBe(begun);

  const ids = [...onboarded].sort();
  const one = async (text: string): Promise<unknown> => (await platform.query(text))[0];
  const states = await platform.query(
    "select wallet_id as id, status from borsello.onboarding order by wallet_id",
  );
  expect(states).toEqual(ids.map((id) => ({ id, status: "Completed" })));
  expect(
    await one(`select count(*)::int as wallets, count(distinct tax_id)::int as customers,
      (select count(*)::int from borsello.audit where entity = 'Wallet' and action = 'create') as audited
      from borsello.wallet`),
  ).toEqual({ wallets: begun, customers: begun, audited: begun });
  // Who repeats a call whose answer was cut has the bank send another transfer.
  const { transfers } = Arrived.parse(
    await one("select count(*)::int as transfers from borsello.bank_notification"),
  );
  expect(transfers).toBeGreaterThanOrEqual(begun);
  expect(
    await one(`select count(*)::int as credits, count(distinct wallet_id)::int as wallets,
      count(distinct bank_notification_id)::int as transfers, sum(amount_cents)::int as cents
      from borsello.operation`),
  ).toEqual({ credits: transfers, wallets: begun, transfers, cents: transfers * 100 });
  // Two entries when a transfer arrived, two when it was credited.
  expect(
    await one("select count(*)::int as entries, sum(amount_cents)::int as sum from borsello.entry"),
  ).toEqual({ entries: transfers * 4, sum: 0 });
  expect(
    await one(`select count(*)::int as requests, count(distinct mandate_id)::int as mandates
      from borsello.bank_request where kind = 'mandateActivation'`),
  ).toEqual({ requests: begun, mandates: begun });
  // The flow of an active mandate waits for its end; all others are over.
  const leftOver = `select
    (select count(*)::int from borsello.outbox where sent_at is null) as unsent,
    (select count(*)::int from durable.message) as messages,
    (select count(*)::int from durable.instance
     where completed_at is null and id not like 'mandate-%') as open,
    (select count(*)::int from broker.message) as queued`;
  await expect
    .poll(() => one(leftOver), { timeout: 60_000 })
    .toEqual({ unsent: 0, messages: 0, open: 0, queued: 0 });

  const sent = await platform.query(
    "select message_id as id from borsello.outbox where 'acme' = any(destinations)",
  );
  const arrived = (): Set<unknown> => new Set(load.deliveries.map(({ id }) => id));
  await expect
    .poll(() => sent.filter(({ id }) => !arrived().has(id)), { timeout: 60_000 })
    .toEqual([]);
  const bodies = new Map<string, Set<string>>();
  for (const { id, body } of load.deliveries)
    bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
  expect([...bodies.values()].filter(({ size }) => size > 1)).toEqual([]);
  expect([...arrived()].filter((id) => !sent.some((row) => row["id"] === id))).toEqual([]);
};

export const runFaults = async ({
  clients,
  onSmallDisk,
  faults,
  betweenMs,
}: FaultRunOptions): Promise<FaultRun> => {
  const platform = await startFaultPlatform(onSmallDisk);
  try {
    const walletOf = async (taxId: string): Promise<string> => {
      const text = "select wallet_id from borsello.wallet where tax_id = $1";
      return String((await platform.query(text, [taxId]))[0]?.["wallet_id"]);
    };
    const load = await startPartnerLoad(platform, { clients, walletOf });
    await sleep(betweenMs);
    const recoveredMs: (readonly [string, number])[] = [];
    for (const { name, inflict } of faults) {
      await inflict(platform);
      recoveredMs.push([name, Math.round(await platform.healthy())]);
      await sleep(betweenMs);
      expect([name, platform.lives]).toEqual([name, true]);
    }
    const report = await load.finish();
    await judge(platform, load, report);
    expect(platform.lives).toBe(true);
    await load.stop();
    return { ...report, recoveredMs, deliveries: load.deliveries.length };
  } finally {
    await platform.end();
  }
};
