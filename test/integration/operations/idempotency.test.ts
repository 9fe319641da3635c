/** Under repeats of many callers at once a key makes one operation, and answers word for word. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase, type Database } from "../../../shared/database/platform/database.js";
import { commandsOn, freshKey } from "../../support/operations/commands.js";
import { retryKeys } from "../../support/operations/key-retries.js";
import { operationStates } from "../../support/operations/operation-states.js";
import { silentLogger } from "../../support/wallet/bank-fixtures.js";
import { openWalletTest, type WalletTest } from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
let other: Database;
beforeAll(async () => {
  wallets = await openWalletTest();
  const url = wallets.database.pool.options.connectionString ?? "";
  other = openDatabase({ connection: { kind: "url", url }, logger: silentLogger });
});
afterAll(async () => {
  await other.close();
  await wallets.end();
});

test("a hundred keys, fifty repeats of each at once by two processes", () =>
  retryKeys([wallets.database, other], { keys: 100, repeats: 50, atOnce: 8 }));

test("a hundred simultaneous repeats of a key whose operation exists all hear its answer", async () => {
  const states = operationStates(() => wallets.database);
  const walletId = await states.walletId();
  const party = await states.partyOf("LoyaltyDeposit");
  const asked = {
    walletId,
    type: "LoyaltyDeposit",
    cents: 500n,
    key: freshKey(),
    ...party,
  } as const;
  const one = commandsOn(wallets.database);
  const another = commandsOn(other);
  const first = await one.initialise(asked);
  const repeats = await Promise.all(
    Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? one : another).initialise(asked)),
  );
  for (const repeat of repeats) expect(repeat).toEqual(first);
});

test("of sixty-four wallets that ask under one key at once, one gets it", async () => {
  const states = operationStates(() => wallets.database);
  const walletIds = await Promise.all(Array.from({ length: 64 }, () => states.walletId()));
  const party = await states.partyOf("LoyaltyDeposit");
  const asked = { type: "LoyaltyDeposit", cents: 500n, key: freshKey(), ...party } as const;
  const commands = commandsOn(wallets.database);
  const outcomes = await Promise.all(
    walletIds.map((walletId) => commands.initialise({ ...asked, walletId })),
  );
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  for (const outcome of outcomes)
    if (!outcome.ok) expect(outcome.code).toMatch(/^IdempotencyKey(InUse|Reused)$/);
});
