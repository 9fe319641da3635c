/** Sixty-four clients on sixteen wallets at a time, a hundred thousand commands in all. */
import { test } from "vitest";
import { commandsOn } from "../../support/operations/commands.js";
import { runSchedules } from "../../support/operations/schedule-run.js";
import { openWalletTest } from "../../support/wallet/wallet-fixtures.js";

test("one serial order explains every answer and the end, and the books are right", async () => {
  const wallets = await openWalletTest();
  try {
    const processes = [commandsOn(wallets.database), commandsOn(wallets.database)];
    await runSchedules(wallets.database, processes, { atOnce: 16, ofEach: 500 });
  } finally {
    await wallets.end();
  }
});
