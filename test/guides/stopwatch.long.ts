/** The getting-started guide, followed from a clone to the first event, with packages that npm fetches. */
import { expect, test } from "vitest";
import { runStopwatch } from "../../bench/guides/stopwatch.js";

/** What the guide promises, with the reading. */
const promisedSeconds = 600;

test("from a clone to the first event, word by word", async () => {
  const laps: string[] = [];
  const seconds = await runStopwatch({
    checkout: ".",
    usesInstalled: false,
    onLap: (lap) => laps.push(`${lap.section}: ${lap.seconds.toFixed(1)} s`),
  });
  console.log([...laps, `in all: ${seconds.toFixed(1)} s`].join("\n"));
  expect(seconds).toBeLessThan(promisedSeconds);
});
