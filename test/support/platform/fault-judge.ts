/** What must hold once the faults are over: nothing acknowledged is lost, nothing is done twice, nothing is left over. */
import { expect } from "vitest";
import { z } from "zod";
import { proveBook } from "../../../shared/database/accounting/prove.js";
import { judgeAccounts, untilSettled } from "../operations/account-records.js";
import type { FaultPlatform } from "./fault-platform.js";
import type { LoadReport, PartnerLoad } from "./partner-load.js";
import { untilNone } from "./progress.js";

export interface Judgement {
  /** Calls that were answered with a 2xx, the reading ones among them. */
  readonly acknowledged: number;
  readonly operations: number;
  readonly events: number;
  /** Deliveries beyond the first of each event: at least once is what was promised. */
  readonly redelivered: number;
}

const Arrived = z.array(z.object({ id: z.string(), cents: z.int() }));

const permitted =
  /^(?:2\d\d|503|503 DependencyUnavailable|cut|400 (?:TaxId|Mandate)\w+|409 (?:TaxId|Mandate)\w+|409 (?:IdempotencyKeyInUse|ConcurrentUpdate))$/;

const judgeOnboardings = async (
  platform: FaultPlatform,
  { accounts, begun }: LoadReport,
): Promise<void> => {
  const one = async (text: string): Promise<unknown> => (await platform.query(text))[0];
  const ids = accounts.map(({ walletId }) => walletId).sort();
  const states = await platform.query(
    "select wallet_id as id, status from borsello.onboarding order by wallet_id",
  );
  expect(states).toEqual(ids.map((id) => ({ id, status: "Completed" })));
  expect(
    await one(`select count(*)::int as wallets, count(distinct tax_id)::int as customers,
      (select count(*)::int from borsello.audit where entity = 'Wallet' and action = 'create') as audited
      from borsello.wallet`),
  ).toEqual({ wallets: begun, customers: begun, audited: begun });
  expect(
    await one(`select count(*)::int as requests, count(distinct mandate_id)::int as mandates
      from borsello.bank_request where kind = 'mandateActivation'`),
  ).toEqual({ requests: begun, mandates: begun });
};

/** Who repeats a call whose answer was cut has the bank send another transfer: each is credited once. */
const judgeTransfers = async (platform: FaultPlatform, { accounts }: LoadReport): Promise<void> => {
  const arrived = await platform.query(
    `select wallet_id as id, sum(amount_cents)::int as cents from borsello.bank_notification
     group by wallet_id order by wallet_id`,
  );
  const credited = await platform.query(
    `select wallet_id as id, sum(amount_cents)::int as cents from borsello.operation
     where bank_notification_id is not null group by wallet_id order by wallet_id`,
  );
  expect(credited).toEqual(arrived);
  const centsOf = new Map(Arrived.parse(arrived).map(({ id, cents }) => [id, cents]));
  for (const account of accounts) account.cents += centsOf.get(account.walletId) ?? 0;
};

/** The flow of an active mandate waits for its end; all others are over. */
const nothingLeft = async (platform: FaultPlatform): Promise<void> => {
  const leftOver = `select
    (select count(*)::int from borsello.outbox where sent_at is null) as unsent,
    (select count(*)::int from durable.message) as messages,
    (select count(*)::int from durable.instance
     where completed_at is null and id not like 'mandate-%') as open`;
  await expect
    .poll(async () => ({ ...(await platform.query(leftOver))[0], held: await platform.held() }), {
      timeout: 60_000,
    })
    .toEqual({ unsent: 0, messages: 0, open: 0, held: [] });
};

const judgeEvents = async (
  platform: FaultPlatform,
  load: PartnerLoad,
): Promise<Pick<Judgement, "events" | "redelivered">> => {
  const sent = await platform.query(
    "select message_id as id from borsello.outbox where 'acme' = any(destinations)",
  );
  const arrived = (): Set<unknown> => new Set(load.deliveries.map(({ id }) => id));
  await untilNone(() => {
    const there = arrived();
    return sent.filter(({ id }) => !there.has(id)).length;
  });
  const bodies = new Map<string, Set<string>>();
  for (const { id, body } of load.deliveries)
    bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
  expect([...bodies.values()].filter(({ size }) => size > 1)).toEqual([]);
  const known = new Set(sent.map(({ id }) => id));
  expect([...arrived()].filter((id) => !known.has(id))).toEqual([]);
  return { events: sent.length, redelivered: load.deliveries.length - sent.length };
};

export const judge = async (
  platform: FaultPlatform,
  load: PartnerLoad,
  report: LoadReport,
): Promise<Judgement> => {
  const { answers, accounts, begun, wrong } = report;
  expect({ wrong, held: wrong.length > 0 && (await platform.held()) }).toEqual({
    wrong: [],
    held: false,
  });
  expect(Object.keys(answers).filter((heard) => !permitted.test(heard))).toEqual([]);
  expect(accounts.length).toBe(begun);

  const query = (text: string) => platform.query(text);
  await untilSettled(query);
  await nothingLeft(platform);
  await judgeOnboardings(platform, report);
  await judgeTransfers(platform, report);
  await judgeAccounts(query, accounts);
  expect((await proveBook({ kind: "url", url: platform.databaseUrl })).findings).toEqual([]);
  const acknowledged = Object.entries(answers)
    .filter(([heard]) => heard.startsWith("2"))
    .reduce((sum, [, count]) => sum + count, 0);
  const operations = accounts.reduce((sum, account) => sum + account.operations.size, 0);
  return { acknowledged, operations, ...(await judgeEvents(platform, load)) };
};
