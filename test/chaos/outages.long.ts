/** The database and the platform fail under load, again and again: only 503s, nothing lost or doubled. */
import { expect, test } from "vitest";
import { noSmallDisk } from "../support/platform/fault-platform.js";
import { runFaults, type Fault, type FaultRun } from "../support/platform/fault-run.js";

const times = (count: number, fault: Fault): Fault[] => Array<Fault>(count).fill(fault);
const pauseMs = 60_000;
const fullMs = 20_000;

const ended: Fault = {
  name: "connections ended",
  inflict: (platform) => platform.endConnections(),
};
const killed: Fault = {
  name: "postmaster killed",
  inflict: (platform) => platform.killPostmaster(),
};
const paused = (what: "platform" | "postmaster" | "server"): Fault => ({
  name: `${what} paused`,
  inflict: (platform) => platform.pause(what, pauseMs),
});
const filled: Fault = { name: "disk full", inflict: (platform) => platform.fillDisk(fullMs) };

const faultsUnderLoad = async (
  faults: readonly Fault[],
  onSmallDisk = false,
): Promise<FaultRun> => {
  const run = await runFaults({ clients: 8, onSmallDisk, faults, betweenMs: 3_000 });
  const { answers, begun, deliveries, recoveredMs } = run;
  console.log(JSON.stringify({ answers, customers: begun, deliveries, recoveredMs }));
  expect(answers["200"] ?? 0).toBeGreaterThan(0);
  return run;
};

test("fourteen times all connections are ended", async () => {
  const { answers } = await faultsUnderLoad(times(14, ended));
  expect(answers["503 DependencyUnavailable"] ?? 0).toBeGreaterThan(0);
});

test("four times the postmaster is killed", async () => {
  const { answers } = await faultsUnderLoad(times(4, killed));
  expect(answers["503 DependencyUnavailable"] ?? 0).toBeGreaterThan(0);
});

test("the platform, the postmaster and the whole server stand still for a minute each", async () => {
  await faultsUnderLoad([paused("platform"), paused("postmaster"), paused("server")]);
});

const reason = await noSmallDisk();

test.skipIf(reason !== undefined)(
  `the disk is full for twenty seconds${reason === undefined ? "" : ` (skipped: ${reason})`}`,
  async () => {
    const { answers } = await faultsUnderLoad([filled, filled], true);
    expect(answers["503 DependencyUnavailable"] ?? 0).toBeGreaterThan(0);
  },
);
