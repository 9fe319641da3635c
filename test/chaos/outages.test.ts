/** The database fails under load in three ways: clients see 503s, and everything goes on by itself. */
import { expect, test } from "vitest";
import { runFaults, type Fault } from "../support/platform/fault-run.js";

const faults: readonly Fault[] = [
  { name: "connections ended", inflict: (platform) => platform.endConnections() },
  { name: "postmaster killed", inflict: (platform) => platform.killPostmaster() },
  { name: "server paused", inflict: (platform) => platform.pause("server", 1_000) },
  { name: "connections ended", inflict: (platform) => platform.endConnections() },
];

test("connections that end, a postmaster that is killed, a server that stands still", async () => {
  const { onboarded, answers } = await runFaults({
    clients: 4,
    onSmallDisk: false,
    faults,
    betweenMs: 500,
  });
  expect(onboarded.length).toBeGreaterThan(0);
  expect(answers["503 DependencyUnavailable"] ?? 0).toBeGreaterThan(0);
}, 120_000);
