/**
 * `npm run bench -- [--quick] [--former FOLDER] [scenario …]`: runs the named scenarios, or all, and writes
 * their figures; with a former checkout's folder, in which a build lies, that build's figures beside them.
 */
import { parseArgs } from "node:util";
import { commitOf, describeMachine } from "./kit/machine.js";
import { withFormer, writeResult, type Row, type Scenario } from "./kit/scenario.js";
import { launchingFrom } from "./platform/launch.js";
import { clearing } from "./scenarios/clearing.js";
import { durableRecovery } from "./scenarios/durable-recovery.js";
import { durableSize } from "./scenarios/durable-size.js";
import { durableSpeed } from "./scenarios/durable-speed.js";
import { durableWakeups } from "./scenarios/durable-wakeups.js";
import { eventReplay } from "./scenarios/event-replay.js";
import { events } from "./scenarios/events.js";
import { money } from "./scenarios/money.js";
import { moneyGrowth } from "./scenarios/money-growth.js";
import { notifications } from "./scenarios/notifications.js";
import { o2i } from "./scenarios/o2i.js";
import { onboardings } from "./scenarios/onboardings.js";
import { refusals } from "./scenarios/refusals.js";
import { startAndMemory } from "./scenarios/start-and-memory.js";
import { telemetry } from "./scenarios/telemetry.js";
import { ticketQueue } from "./scenarios/ticket-queue.js";
import { tickets } from "./scenarios/tickets.js";
import { walletGrowth } from "./scenarios/wallet-growth.js";
import { uploads } from "./scenarios/uploads.js";
import { wallets } from "./scenarios/wallets.js";

const scenarios = [
  startAndMemory,
  refusals,
  wallets,
  walletGrowth,
  uploads,
  onboardings,
  o2i,
  notifications,
  tickets,
  ticketQueue,
  events,
  eventReplay,
  money,
  moneyGrowth,
  clearing,
  durableSpeed,
  durableWakeups,
  durableSize,
  durableRecovery,
  telemetry,
];
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false }, former: { type: "string" } },
});
const { quick, former } = values;

const measure = async (scenario: Scenario): Promise<readonly Row[]> => {
  const run = async () => scenario.run((line) => console.log(`  ${line}`), { quick });
  const rows = await run();
  if (former === undefined) return rows;
  const commit = commitOf(former);
  console.log(`  the same with commit ${commit}`);
  return withFormer(rows, await launchingFrom(former, run), commit);
};

const unknown = wanted.filter((name) => !scenarios.some((scenario) => scenario.name === name));
if (unknown.length > 0) {
  const known = scenarios.map((scenario) => scenario.name).join(", ");
  console.error(`No scenario is called ${unknown.join(", ")}; there are: ${known}.`);
  process.exitCode = 1;
} else {
  for (const scenario of scenarios) {
    if (wanted.length > 0 && !wanted.includes(scenario.name)) continue;
    console.log(`\n${scenario.title}`);
    const rows = await measure(scenario);
    for (const { what, figure, beside } of rows) console.log(`  ${what}: ${figure} (${beside})`);
    if (!quick) console.log(`  written to ${await writeResult(scenario, describeMachine(), rows)}`);
  }
}
