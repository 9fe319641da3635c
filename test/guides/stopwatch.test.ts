/** The getting-started guide, followed from a clone to the first event. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { runStopwatch } from "../../bench/guides/stopwatch.js";

const missing = ["bash", "curl", "git"].find((tool) => spawnSync(tool, ["--version"]).status !== 0);
const isClone = spawnSync("git", ["-c", "safe.directory=*", "rev-parse", "HEAD"]).status === 0;

/** What the guide promises, with the reading. */
const promisedSeconds = 600;

test("from a clone to the first event, word by word, with the packages that are installed", async ({
  skip,
}) => {
  skip(missing !== undefined, `needs ${missing}`);
  skip(!isClone, "needs a git repository to clone");
  const sections = new Set<string>();
  const seconds = await runStopwatch({
    checkout: ".",
    usesInstalled: true,
    onLap: ({ section }) => sections.add(section),
  });
  expect([...sections]).toEqual([
    "Start the platform",
    "Get a token",
    "Open a wallet",
    "Prove the bank account",
    "Take a payment",
    "Read its event",
  ]);
  expect(seconds).toBeLessThan(promisedSeconds);
});
