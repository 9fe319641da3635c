/** Random commands of several clients on one wallet at once: one serial order explains what they got. */
import { afterAll, beforeAll, test } from "vitest";
import { commandsOn } from "../../support/operations/commands.js";
import { runSchedules } from "../../support/operations/schedule-run.js";
import { openWalletTest, type WalletTest } from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

test("one serial order explains every answer and the end, and the books are right", () => {
  const processes = [commandsOn(wallets.database), commandsOn(wallets.database)];
  return runSchedules(wallets.database, processes, { atOnce: 4, commands: 1_000 });
});
