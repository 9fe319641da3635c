/** How soon an idle orchestrator goes on after its event or timer, and what sleeping timers cost. */
import { setTimeout as sleep } from "node:timers/promises";
import { withBenchPostgres, withClient, type BenchPostgres } from "../durable/bench-postgres.js";
import { startBenchHost, type BenchHost } from "../durable/bench-host.js";
import { cloneInstance } from "../durable/clone-instances.js";
import { atMost, verdict } from "../kit/goal.js";
import { cpuSecondsBelow } from "../kit/processes.js";
import type { Row, Scenario } from "../kit/scenario.js";

const p50Goal = atMost("P10", 2, "ms");
const p99Goal = atMost("P10", 6, "ms");
const sleepersGoal = atMost("P10", 1, "% of a core");
const hourMs = 3_600_000;
/** After a start or a burst, housekeeping of host and database comes to rest. */
const settleMs = 3_000;

const wakeupRows = async (host: BenchHost, count: number): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (const kind of ["event", "timer"] as const) {
    await host.wakeups(kind, Math.ceil(count / 5)); // warm-up, not counted
    const { p50Ms, p99Ms } = await host.wakeups(kind, count);
    rows.push(
      {
        what: `${kind} to resumed orchestrator, p50 of ${count}`,
        figure: `${p50Ms.toFixed(2)} ms`,
        beside: verdict(p50Goal, p50Ms),
      },
      {
        what: `${kind} to resumed orchestrator, p99 of ${count}`,
        figure: `${p99Ms.toFixed(2)} ms`,
        beside: verdict(p99Goal, p99Ms),
      },
    );
  }
  return rows;
};

/** Share of a core, in percent, that host and PostgreSQL take with nothing to do. */
const idlePercent = async (seconds: number): Promise<number> => {
  await sleep(settleMs);
  const before = await cpuSecondsBelow(process.pid);
  await sleep(seconds * 1_000);
  return ((await cpuSecondsBelow(process.pid)) - before) * (100 / seconds);
};

const sleeperRow = async (
  postgres: BenchPostgres,
  timers: number,
  seconds: number,
): Promise<Row> => {
  const url = await postgres.createDatabase("sleepers");
  const first = await startBenchHost(url);
  const without = await idlePercent(seconds);
  await first.start("awaitTime", "sleeper", Date.now() + hourMs);
  await sleep(500);
  await first.stop();
  await withClient(url, async (client) => cloneInstance(client, "sleeper", timers));
  const host = await startBenchHost(url);
  const withTimers = await idlePercent(seconds);
  await host.stop();
  const cost = Math.max(0, withTimers - without);
  return {
    what: `${timers} sleeping timers, over ${seconds} s`,
    figure: `${cost.toFixed(2)} % of a core`,
    beside: `${withTimers.toFixed(2)} % with them, ${without.toFixed(2)} % without; ${verdict(sleepersGoal, cost)}`,
  };
};

export const durableWakeups: Scenario = {
  name: "durable-wakeups",
  title: "Waking orchestrators",
  method:
    "One orchestrator at a time on an otherwise idle host: from the call of the client library's raiseEvent, or from the " +
    "moment that the timer names, until the line of code behind the wait runs. Sleeping timers are due in an hour or two; " +
    "their cost is the CPU time of host and PostgreSQL together, less what both take without them.",
  run: async (say, { quick }) =>
    withBenchPostgres(async (postgres) => {
      const host = await startBenchHost(await postgres.createDatabase("wakeups"));
      const rows = [...(await wakeupRows(host, quick ? 50 : 500))];
      await host.stop();
      say("events and timers: done");
      rows.push(await sleeperRow(postgres, quick ? 5_000 : 100_000, quick ? 3 : 20));
      return rows;
    }),
};
