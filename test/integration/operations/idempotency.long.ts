/** Ten thousand keys, fifty repeats of each at once. */
import { test } from "vitest";
import { openDatabase } from "../../../shared/database/platform/database.js";
import { retryKeys } from "../../support/operations/key-retries.js";
import { whileItMoves } from "../../support/platform/progress.js";
import { silentLogger } from "../../support/wallet/bank-fixtures.js";
import { openWalletTest } from "../../support/wallet/wallet-fixtures.js";

const noLimit = 0;

test("each of ten thousand keys makes one operation", { timeout: noLimit }, async () => {
  const wallets = await openWalletTest();
  const url = wallets.database.pool.options.connectionString ?? "";
  const other = openDatabase({ connection: { kind: "url", url }, logger: silentLogger });
  try {
    const asked = { keys: 10_000, repeats: 50, atOnce: 16 };
    await whileItMoves("keys", (settled) =>
      retryKeys([wallets.database, other], { ...asked, settled }),
    );
  } finally {
    await other.close();
    await wallets.end();
  }
});
