/** Sixty-four clients, four on each of sixteen wallets at a time: a million commands, or SCHEDULE_COMMANDS of them. */
import { test } from "vitest";
import { commandsOn } from "../../support/operations/commands.js";
import { runSchedules } from "../../support/operations/schedule-run.js";
import { whileItMoves } from "../../support/platform/progress.js";
import { openWalletTest } from "../../support/wallet/wallet-fixtures.js";

const commands = Number(process.env["SCHEDULE_COMMANDS"] ?? 1_000_000);
const noLimit = 0;

test(
  "one serial order explains every answer and the end, and the books are right",
  { timeout: noLimit },
  async () => {
    const wallets = await openWalletTest();
    try {
      const processes = [commandsOn(wallets.database), commandsOn(wallets.database)];
      await whileItMoves("commands", (answered) =>
        runSchedules(wallets.database, processes, { atOnce: 16, commands, answered }),
      );
    } finally {
      await wallets.end();
    }
  },
);
