/** Figures of operations: they agree with the operations after any changes, and cost the same however many there are. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { expireDue } from "../../../shared/database/operations/expiry.js";
import {
  countAtStore,
  operationsOverview,
  totalAtStore,
} from "../../../shared/database/operations/statistics.js";
import { openDatabase, type Database } from "../../../shared/database/platform/database.js";
import { expireAllDue } from "../../../functions/schedule/operation-expiry.js";
import { operationStatuses } from "../../../shared/domain/operations/families.js";
import { openStore } from "../../support/stores/store-fixtures.js";
import { countOf, silentLogger } from "../../support/wallet/bank-fixtures.js";
import {
  openWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
let database: Database;
let walletId: string;
let storeIds: string[];

const seed = `
  insert into borsello.operation (wallet_id, partner_key, dealer_key, store_id, type, amount_cents,
    final_amount_cents, net_amount_cents, fees_amount_cents, status, creation_date,
    confirmation_date, expiry_date, funds_type, bucket_id)
  select $1, 'acme', 'dealer-rome', ($2::uuid[])[1 + n % 2],
    (array['CashDeposit', 'Payment', 'LoyaltyDeposit'])[1 + n % 3], n, n, n, 0,
    (array['Initialized', 'Confirmed', 'Completed', 'Cancelled'])[1 + n % 4], made, made,
    made + interval '30 minutes', 'Standard', bucket_id
  from generate_series($3::integer, $4::integer) as n,
    borsello.bucket, lateral (select now() - n % 20 * interval '9 hours' as made) as at
  where wallet_id = $1`;

beforeAll(async () => {
  wallets = await openWalletTest();
  ({ database } = wallets);
  ({ walletId } = await openWallet(database));
  storeIds = [(await openStore(database)).storeId, (await openStore(database)).storeId];
  await database.execute(
    `insert into borsello.bucket (wallet_id, partner_key, account_id, funds_type, is_withdrawable)
     values ($1, 'acme', borsello.account_for('acme', 'Bucket', 'figures'), 'Standard', true)`,
    [walletId],
  );
});
afterAll(() => wallets.end());

const differences = (counters: string, operations: string, keys: string): string => `
  select count(*) from (
    (select ${keys}, sum(operations) as operations from ${counters}
     group by ${keys} having sum(operations) <> 0)
    except
    (select ${keys}, operations from ${operations})
    union all
    (select ${keys}, operations from ${operations})
    except
    (select ${keys}, sum(operations) as operations from ${counters} group by ${keys})
  ) as different`;

test("whatever is inserted, changed and deleted, the counters are what the operations give", async () => {
  const status = fc.constantFrom("Initialized", "Confirmed", "Completed", "Terminated");
  const change = fc.record({
    from: fc.integer({ min: 1, max: 30 }),
    many: fc.integer({ min: 1, max: 12 }),
    status,
    hours: fc.integer({ min: 0, max: 60 }),
    isDeleted: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      for (const { from, many, status: next, hours, isDeleted } of changes) {
        await database.execute(seed, [walletId, storeIds, from, from + many]);
        await database.execute(
          `update borsello.operation set status = $1, amount_cents = amount_cents + 1,
             confirmation_date = now() - $2::integer * interval '1 hour'
           where amount_cents between $3::integer and $3::integer + 5`,
          [next, hours, from],
        );
        if (isDeleted)
          await database.execute("delete from borsello.operation where amount_cents = $1", [from]);
      }
      const days = differences(
        "borsello.store_operation_day",
        "borsello.store_operation_day_of_operations",
        "store_id, day, type, status",
      );
      expect(await countOf(database, days)).toBe(0);
      const states = differences(
        "borsello.operation_count",
        "borsello.operation_count_of_operations",
        "partner_key, type, status",
      );
      expect(await countOf(database, states)).toBe(0);
      expect(
        await countOf(
          database,
          `select ((select coalesce(sum(amount_cents), 0) from borsello.store_operation_day)
             - (select coalesce(sum(amount_cents), 0) from borsello.operation))::bigint as count`,
        ),
      ).toBe(0);
    }),
    { numRuns: 15 },
  );
});

const Figure = z.looseObject({ type: z.string() });

test("the overview's dates are the ends of each state, and its totals what is in it", async () => {
  await database.execute(seed, [walletId, storeIds, 1, 40]);
  const overview = await operationsOverview(database, "acme");
  const item = Figure.parse(overview.find(({ type }) => type === "Payment"));
  for (const status of operationStatuses) {
    const [row] = await database.rows(
      z.object({ total: z.int(), first: z.string().nullable(), last: z.string().nullable() }),
      `select count(*)::integer as total, borsello.iso(min(last_update_date)) as first,
         borsello.iso(max(last_update_date)) as last
       from borsello.operation where type = 'Payment' and status = $1`,
      [status],
    );
    expect([item[`total${status}`], item[`min${status}Date`], item[`max${status}Date`]]).toEqual([
      row?.total,
      row?.first,
      row?.last,
    ]);
  }
  expect(overview.map(({ minCreationDate }) => minCreationDate === null)).toEqual(
    overview.map(({ type }) => !["CashDeposit", "Payment", "LoyaltyDeposit"].includes(type)),
  );
});

test("a store's total names the latest reconciliation group of its days that holds such operations", async () => {
  const { storeId } = await openStore(database);
  const group = async (day: string, code: string, type: string): Promise<void> => {
    await database.execute(
      `with g as (
         insert into borsello.reconciliation_group
           (partner_key, store_id, day, code, status, is_growing, owed_to_store_cents, settled_cents)
         values ('acme', $1, $2, $3, 'Reconciled', false, 5, -5) returning reconciliation_id
       ), fresh as (select uuidv7() as id)
       insert into borsello.operation (operation_id, harvesting_id, partner_key, store_id, type,
         amount_cents, final_amount_cents, net_amount_cents, fees_amount_cents, status, funds_type,
         reconciliation_id)
       select id, id, 'acme', $1, $4, 5, 5, 5, 0, 'Completed', 'Standard', reconciliation_id
       from g, fresh`,
      [storeId, day, code, type],
    );
  };
  await group("2026-03-01", "FIRST", "Payment");
  await group("2026-03-02", "SECOND", "Payment");
  await group("2026-03-03", "THIRD", "CashDeposit");
  const total = (fromDate: string, toDate: string) =>
    totalAtStore(database, storeId, { fromDate, toDate }, "Payment");
  const nothing = { amount: 0, count: 0 };
  expect(await total("2026-03-01", "2026-03-31")).toEqual({
    ...{ ...nothing, reconciliationCode: "SECOND", status: "Reconciled", date: "2026-03-02" },
  });
  expect(await total("2026-02-01", "2026-03-01")).toMatchObject({ reconciliationCode: "FIRST" });
  expect(await total("2026-03-03", "2026-03-04")).toEqual({
    ...{ ...nothing, reconciliationCode: null, status: null, date: null },
  });
});

test("neither the overview nor a store's figures read more rows of a grown platform", async () => {
  const url = wallets.database.pool.options.connectionString ?? "";
  // One connection, which can be told to hand in its own counts.
  const one = openDatabase({ connection: { kind: "url", url }, logger: silentLogger, poolSize: 1 });
  const [storeId = ""] = storeIds;
  const rowsRead = async (): Promise<number> => {
    await one.pool.query("select pg_stat_force_next_flush()");
    return countOf(
      one,
      `select sum(pg_stat_get_tuples_returned(oid) + pg_stat_get_tuples_fetched(oid))::bigint
         as count
       from unnest(array['borsello.operation', 'borsello.operation_by_status',
         'borsello.operation_count', 'borsello.store_operation_day']::regclass[]) as oid`,
    );
  };
  const costOnce = async (): Promise<number> => {
    await operationsOverview(one, "acme");
    await countAtStore(one, storeId, {}, undefined, undefined);
    const before = await rowsRead();
    await operationsOverview(one, "acme");
    await countAtStore(one, storeId, { fromDate: "2020-01-01" }, "Payment", undefined);
    await totalAtStore(one, storeId, {}, "Payment");
    return (await rowsRead()) - before;
  };
  /** The least of some: another connection may hand in late what it read before. */
  const cost = async (): Promise<number> =>
    Math.min(await costOnce(), await costOnce(), await costOnce());
  try {
    await one.ready();
    await one.execute(seed, [walletId, storeIds, 1, 1_000]);
    await one.pool.query("vacuum analyze borsello.operation, borsello.operation_count");
    const small = await cost();
    await one.execute(seed, [walletId, storeIds, 1_001, 20_000]);
    expect(small).toBeGreaterThan(0);
    // Anew until it is clean: what another's snapshot still sees, such as the server's own analysis, stays.
    const cleanCost = async (): Promise<number> => {
      await one.pool.query("vacuum analyze borsello.operation, borsello.operation_count");
      return cost();
    };
    await expect.poll(cleanCost, { interval: 500 }).toBeLessThan(small * 2);
  } finally {
    await one.close();
  }
});

test("whatever is due expires page by page, and nothing else", async () => {
  const open = "select count(*) from borsello.operation where status = 'Initialized'";
  await database.execute(
    `update borsello.operation set expiry_date = now() + interval '1 hour'
     where status = 'Initialized' and amount_cents > 150`,
  );
  const due = await countOf(database, `${open} and expiry_date <= now()`);
  const rest = (await countOf(database, open)) - due;
  expect(due).toBeGreaterThan(25);
  expect(rest).toBeGreaterThan(0);
  expect(await expireDue(database, 10)).toBe(10);
  expect(await expireAllDue({ database }, 10)).toBe(due - 10);
  expect(await countOf(database, open)).toBe(rest);
  expect(await expireAllDue({ database }, 10)).toBe(0);
  expect(
    await countOf(
      database,
      `select count(*) from borsello.audit
       where entity = 'Operation' and action = 'expire' and to_status = 'Expired'`,
    ),
  ).toBe(due);
});
