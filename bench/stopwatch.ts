/** `npm run stopwatch`: how long the getting-started guide takes from a fresh clone, without the reading. */
import { parseArgs } from "node:util";
import { runStopwatch, startingGuide } from "./guides/stopwatch.js";

const { values } = parseArgs({ options: { installed: { type: "boolean", default: false } } });

const seconds = (value: number): string => `${value.toFixed(1).padStart(7)} s`;

// Ended by a person, it still ends what it has started: the shells go with this process.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => process.exit(1));

console.log(`${startingGuide}, word by word from a fresh clone:`);
if (values.installed) console.log("(with the packages that are installed here, instead of npm's)");
const total = await runStopwatch({
  checkout: ".",
  usesInstalled: values.installed,
  onLap: (lap) => console.log(`${seconds(lap.seconds)}  ${lap.section}`),
});
console.log(`${seconds(total)}  from the clone to the first event`);
