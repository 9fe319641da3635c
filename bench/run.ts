/** `npm run bench -- [scenario …]`: runs the named scenarios, or all, and writes their figures. */
import { describeMachine } from "./machine.js";
import { writeResult } from "./scenario.js";
import { onboardings } from "./scenarios/onboardings.js";
import { refusals } from "./scenarios/refusals.js";
import { startAndMemory } from "./scenarios/start-and-memory.js";
import { wallets } from "./scenarios/wallets.js";

const scenarios = [startAndMemory, refusals, wallets, onboardings];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !scenarios.some((scenario) => scenario.name === name));
if (unknown.length > 0) {
  const known = scenarios.map((scenario) => scenario.name).join(", ");
  console.error(`No scenario is called ${unknown.join(", ")}; there are: ${known}.`);
  process.exitCode = 1;
} else {
  for (const scenario of scenarios) {
    if (wanted.length > 0 && !wanted.includes(scenario.name)) continue;
    console.log(`\n${scenario.title}`);
    const rows = await scenario.run((line) => console.log(`  ${line}`));
    for (const { what, figure, beside } of rows) console.log(`  ${what}: ${figure} (${beside})`);
    console.log(`  written to ${await writeResult(scenario, describeMachine(), rows)}`);
  }
}
