/** Ten thousand keys, fifty repeats of each at once. */
import { test } from "vitest";
import { openDatabase } from "../../../shared/database/platform/database.js";
import { retryKeys } from "../../support/operations/key-retries.js";
import { silentLogger } from "../../support/wallet/bank-fixtures.js";
import { openWalletTest } from "../../support/wallet/wallet-fixtures.js";

test("each of ten thousand keys makes one operation", async () => {
  const wallets = await openWalletTest();
  const url = wallets.database.pool.options.connectionString ?? "";
  const other = openDatabase({ connection: { kind: "url", url }, logger: silentLogger });
  try {
    await retryKeys([wallets.database, other], { keys: 10_000, repeats: 50, atOnce: 16 });
  } finally {
    await other.close();
    await wallets.end();
  }
});
