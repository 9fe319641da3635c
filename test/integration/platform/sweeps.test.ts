/** Sweeps get through everything there is: past what is bad, in one run, and on from there after a restart. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { dueFlowSweep } from "../../../functions/schedule/flow-sweep.js";
import {
  sweepFlowsOf,
  type FlowSweep,
  type SweepLimits,
} from "../../../functions/schedule/sweep.js";
import { ticketSweep } from "../../../functions/schedule/ticket-sweep.js";
import { openFlows } from "../../../shared/database/settlement/open-flows.js";
import type { FlowClient } from "../../../shared/durable/flow-client.js";
import { noteStartedFlows } from "../../support/durable/started-flows.js";
import { openBankTest, silentLogger, type BankTest } from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
beforeAll(async () => {
  bank = await openBankTest();
});
afterEach(() =>
  bank.database.execute(
    "truncate borsello.iban_validation, borsello.ticket, borsello.sweep, borsello.set_aside cascade",
  ),
);
afterAll(() => bank.end());

const means = () => ({ database: bank.database, logger: silentLogger });

let written = 0;

/** Wallets whose IBAN validation has lost its flow. */
const writeWallets = async (count: number) => {
  await bank.database.execute(
    `with wallet as (
       insert into borsello.wallet (partner_key, tax_id, first_name, last_name, phone_number, email,
         originating_dealer_key, iban, iban_validation_code)
       select 'acme', 'TAX' || number, 'Maria', 'Rossi', '+393331234567', number || '@example.com',
         'dealer-rome', 'IT60X' || lpad(number::text, 22, '0'), 'CODE' || number
       from generate_series($2::integer, $2::integer + $1::integer - 1) as number
       returning wallet_id, iban, iban_validation_code
     )
     insert into borsello.iban_validation (wallet_id, attempt, partner_key, iban, code,
       transfer_amount_cents, expires_at, requested_at)
     select wallet_id, 1, 'acme', iban, iban_validation_code, 100, now() + interval '30 days',
       now() - interval '1 hour' from wallet`,
    [count, written],
  );
  written += count;
};

const writeTickets = (count: number) =>
  bank.database.execute(
    `insert into borsello.ticket (case_number, partner_key, product, request_type, category,
       description, priority, created_by, sla, silence, patience,
       expiration_date)
     select 'CASE' || number, 'acme', 'wallet', 'Consumer', 'wallet', 'text', 1, 'acme-client',
       '1 hour', '1 hour', '1 hour', now() - interval '1 hour' from generate_series(1, $1::integer) as number`,
    [count],
  );

const wallets = async (): Promise<string[]> =>
  (
    await bank.database.rows(
      z.object({ walletId: z.string() }),
      'select wallet_id as "walletId" from borsello.iban_validation order by wallet_id',
    )
  ).map(({ walletId }) => walletId);

const asideNow = () =>
  bank.database.rows(
    z.object({ subject: z.string(), error: z.string(), failures: z.int() }),
    "select subject, error, failures from borsello.set_aside order by subject",
  );

/** A client for which some wallets' flows cannot be started; it notes none as running. */
const failingFor = (bad: readonly string[]) => {
  const { client, instances } = noteStartedFlows();
  const failing: FlowClient = {
    ...client,
    getStatus: (instanceId) => Promise.reject(new Error(`No instance with ID ${instanceId}`)),
    startNew: (name, options) => {
      const isBad = bad.some((walletId) => String(options?.instanceId).includes(walletId));
      return isBad
        ? Promise.reject(new Error("its history cannot be read"))
        : client.startNew(name, options);
    },
  };
  return { client: failing, instances };
};

const small: SweepLimits = { placesPerPage: 40, boundMs: 60_000 };
const sweep = (client: FlowClient, limits: SweepLimits = small) =>
  sweepFlowsOf(means(), client, dueFlowSweep(means()), limits);

test("one run gets through all pages, and sets aside the flow that cannot be started", async () => {
  await writeWallets(205);
  const all = await wallets();
  const bad = [all[3] ?? "", all[150] ?? ""];
  const { client, instances } = failingFor(bad);
  const started = await sweep(client);
  expect(started).toHaveLength(203);
  expect(instances.size).toBe(203);
  expect(await asideNow()).toEqual(
    bad
      .map((walletId) => ({ subject: `iban-${walletId}-1`, error: "its history cannot be read" }))
      .map((one) => ({ ...one, failures: 1 }))
      .sort((one, other) => (one.subject < other.subject ? -1 : 1)),
  );

  await sweep(client);
  expect((await asideNow()).map(({ failures }) => failures)).toEqual([2, 2]);

  const { client: mended } = failingFor([]);
  await sweep(mended);
  expect(await asideNow()).toEqual([]);
});

test("what metrics tell of open flows is what the tables say", async () => {
  await writeWallets(7);
  await writeTickets(3);
  const open = await openFlows(bank.database);
  expect(open.filter(({ flow }) => ["ibanValidation", "ticketSla"].includes(flow))).toEqual([
    { flow: "ibanValidation", state: "Waiting", count: 7 },
    { flow: "ticketSla", state: "New", count: 3 },
  ]);
});

test("what is no longer to be done does not stay set aside", async () => {
  await writeWallets(2);
  const [bad = ""] = await wallets();
  const { client } = failingFor([bad]);
  await sweep(client);
  expect(await asideNow()).toHaveLength(1);
  await bank.database.execute("delete from borsello.iban_validation where wallet_id = $1", [bad]);
  await sweep(client);
  expect(await asideNow()).toEqual([]);
});

test("a run that is out of time is followed by one that goes on from there, after a restart, too", async () => {
  await writeWallets(60);
  const seen: string[] = [];
  const { client } = noteStartedFlows();
  const due = dueFlowSweep(means());
  let page = 0;
  const interrupted: FlowSweep<Parameters<typeof due.placeOf>[0]> = {
    ...due,
    page: async (after, limit) => {
      if (page++ === 2) throw new Error("the process ends here");
      return due.page(after, limit);
    },
  };
  const limits = { placesPerPage: 16, boundMs: 60_000 };
  await expect(sweepFlowsOf(means(), client, interrupted, limits)).rejects.toThrow("ends here");
  const following: FlowClient = {
    ...client,
    startNew: (name, options) => {
      seen.push(String(options?.instanceId));
      return client.startNew(name, options);
    },
  };
  await sweep(following, limits);
  expect(seen).toEqual((await wallets()).slice(32).map((walletId) => `iban-${walletId}-1`));
});

test("where nothing can be started a run gives up soon, and the next one goes on after it", async () => {
  await writeWallets(200);
  const all = await wallets();
  const { client } = failingFor(all);
  await sweep(client);
  const first = (await asideNow()).length;
  expect(first).toBeLessThan(60);
  await sweep(client);
  expect((await asideNow()).length).toBeGreaterThan(first);
});

test("tickets that share a date are all come to, one page after the other", async () => {
  const { client, instances } = noteStartedFlows();
  const { page, ...rest } = ticketSweep(means());
  await writeTickets(7);
  const pages: number[] = [];
  const noted: typeof page = async (after, limit) => {
    const found = await page(after, limit);
    pages.push(found.length);
    return found;
  };
  await sweepFlowsOf(means(), client, { ...rest, page: noted }, { ...small, placesPerPage: 3 });
  expect(pages).toEqual([3, 3, 1]);
  expect(instances.size).toBe(7);
});
