/** Parts of the platform fail under load in five ways: clients see 503s, and everything goes on by itself. */
import { expect, test } from "vitest";
import { drawFaults } from "../support/platform/draw-faults.js";
import { runFaults } from "../support/platform/fault-run.js";

const seed = Math.floor(Math.random() * 1_000_000);
const counts = {
  ...{ kills: 1, connectionsEnded: 1, postmasterKills: 1, serverProcessKills: 1 },
  ...{ pauses: { server: 1 }, pauseMs: 1_000 },
};

test(`nothing acknowledged is lost while parts fail, seed ${seed}`, async () => {
  const { operations, answers } = await runFaults({
    ...{ clients: 4, errandsMax: 3, betweenMs: 400, seed },
    faults: drawFaults(counts, seed),
  });
  expect(operations).toBeGreaterThan(0);
  expect(answers["503 DependencyUnavailable"] ?? 0).toBeGreaterThan(0);
}, 120_000);
