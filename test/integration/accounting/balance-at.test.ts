/** The balance of an earlier moment is what the balance was at that moment, holds included. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findBalanceAt } from "../../../shared/database/accounting/balance-at.js";
import { findBalance } from "../../../shared/database/ledger/ledger.js";
import { platformNow } from "../../../shared/database/platform/platform-time.js";
import {
  deposit,
  openBookWallet,
  writeOperation,
  type BookWallet,
} from "../../support/accounting/books.js";
import { made, openWalletTest, type WalletTest } from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const reader = { partnerKey: "acme", isOperator: false };

/** An operation that is initialised now, and what then becomes of it. */
const initialise = (wallet: BookWallet, type: string, cents: bigint, feeCents: bigint) =>
  writeOperation(wallets.database, wallet, { type, status: "Initialized", cents, feeCents });

const become = (operationId: string, status: string, date?: string) =>
  wallets.database.execute(
    `update borsello.operation set status = $2
       ${date === undefined ? "" : `, ${date} = borsello.platform_now()`}
     where operation_id = $1`,
    [operationId, status],
  );

const post = (operationId: string, kind: string, lines: readonly (readonly [string, bigint])[]) =>
  wallets.database.execute(
    `select borsello.post_movement($1, $2, array(
       select borsello.account_for('acme', split_part(name, ':', 1), split_part(name, ':', 2))
       from unnest($3::text[]) with ordinality as line (name, place) order by place), $4::bigint[])`,
    [operationId, kind, lines.map(([name]) => name), lines.map(([, cents]) => cents)],
  );

test("each balance of the past is told again as it was", async () => {
  const { database } = wallets;
  const wallet = await openBookWallet(database);
  const { walletId } = wallet;
  const bucket = `Bucket:${wallet.bucketId}`;
  const told: { at: Date; cents: bigint }[] = [];
  const tell = async () => {
    const at = new Date(await platformNow(database));
    told.push({ at, cents: made(await findBalance(database, reader, walletId)) });
    // So that what comes next has a later date: dates are milliseconds.
    await sleep(3);
  };

  await tell();
  await writeOperation(database, wallet, deposit(10_000n, 100n));
  await tell();
  const payment = await initialise(wallet, "Payment", 3_000n, 50n);
  await tell();
  const cancelled = await initialise(wallet, "CashWithdrawal", 500n, 100n);
  const expired = await initialise(wallet, "CashWithdrawal", 700n, 100n);
  const terminated = await initialise(wallet, "SctWithdrawal", 900n, 0n);
  await tell();
  await become(payment, "Confirmed", "confirmation_date");
  await post(payment, "Payment", [
    [bucket, -3_000n],
    ["Store:store", 3_000n],
  ]);
  await tell();
  await become(cancelled, "Cancelled", "cancellation_date");
  await tell();
  await become(expired, "Expired", "expiry_date");
  await tell();
  await become(terminated, "Terminated", "termination_date");
  await tell();
  await become(payment, "Completing");
  await post(payment, "Fee", [
    [bucket, -50n],
    ["Fees:partner", 50n],
  ]);
  await tell();

  expect(new Set(told.map(({ cents }) => cents)).size).toBeGreaterThan(5);
  for (const { at, cents } of told)
    expect(made(await findBalanceAt(database, reader, walletId, at))).toBe(cents);
});
