/** How long a start takes, from nothing and on existing data, and what an idle platform weighs. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../kit/load.js";
import { startPlatform, withTemporaryFolder, type PlatformProcess } from "../platform/process.js";
import {
  descendants,
  privateMiB,
  residentMiB,
  startEcho,
  startOnlyLibraries,
} from "../kit/processes.js";
import type { Row, Scenario } from "../kit/scenario.js";

const runs = 5;
const idleSeconds = 15;

/** Seconds from the start of the process to its first 200. */
const timedStart = async (folder: string): Promise<[PlatformProcess, number]> => {
  const began = performance.now();
  const platform = await startPlatform(folder);
  const answer = await fetch(`${platform.url}/health`);
  if (answer.status !== 200) throw new Error(`/health answered ${answer.status}`);
  return [platform, (performance.now() - began) / 1000];
};

const memoryRows = async (platform: PlatformProcess): Promise<readonly Row[]> => {
  const echo = await startEcho();
  const libraries = await startOnlyLibraries();
  try {
    for (const { url } of [echo, libraries]) await fetch(url);
    await sleep(idleSeconds * 1000);
    const mine = await residentMiB(platform.pid);
    const bare = await residentMiB(echo.pid);
    const needed = await residentMiB(libraries.pid);
    if (mine === null || bare === null || needed === null) return [];
    const others = await Promise.all((await descendants(platform.pid)).map(privateMiB));
    const database = others.reduce((sum, mib) => sum + mib, 0);
    return [
      {
        what: `host, engine and broker, resident after ${idleSeconds} s idle`,
        figure: `${mine.toFixed(0)} MiB`,
        beside: `bare node:http ${bare.toFixed(0)} MiB, ratio ${(mine / bare).toFixed(2)}; goal G7 110 MB, 1.5`,
      },
      {
        what: "a process that has loaded the client libraries and does nothing",
        figure: `${needed.toFixed(0)} MiB`,
        beside: `ratio to the bare node:http ${(needed / bare).toFixed(2)}; the host's to it ${(mine / needed).toFixed(2)}`,
      },
      {
        what: "PostgreSQL with its connections, proportional share",
        figure: `${database.toFixed(0)} MiB`,
        beside: "not in the goal",
      },
    ];
  } finally {
    await libraries.stop();
    await echo.stop();
  }
};

export const startAndMemory: Scenario = {
  name: "start-and-memory",
  title: "Start and idle memory",
  method:
    `Wall time from spawning \`node dist/local/start.js\` to its first 200 on /health, median of ${runs}: ` +
    "on an empty folder (initdb, migrations and seeding included) and again on the same folder after a " +
    "graceful stop and after kill -9. Memory is resident memory from /proc.",
  run: async (say) =>
    withTemporaryFolder(async (folder) => {
      const first: number[] = [];
      const again: number[] = [];
      const afterKill: number[] = [];
      const rows: Row[] = [];
      for (let run = 0; run < runs; run += 1) {
        const data = join(folder, `data-${run}`);
        const [fresh, freshSeconds] = await timedStart(data);
        first.push(freshSeconds);
        await fresh.stop();
        const [second, secondSeconds] = await timedStart(data);
        again.push(secondSeconds);
        await second.kill9();
        const [third, thirdSeconds] = await timedStart(data);
        afterKill.push(thirdSeconds);
        if (run === runs - 1) rows.push(...(await memoryRows(third)));
        await third.stop();
        say(
          `first ${freshSeconds.toFixed(2)} s, again ${secondSeconds.toFixed(2)} s, after kill -9 ${thirdSeconds.toFixed(2)} s`,
        );
      }
      const seconds = (values: readonly number[]): string => `${median(values).toFixed(2)} s`;
      return [
        { what: "first start, empty folder", figure: seconds(first), beside: "goal G6 2.0 s" },
        { what: "restart, existing data", figure: seconds(again), beside: "goal G6 0.9 s" },
        { what: "restart after kill -9", figure: seconds(afterKill), beside: "no goal" },
        ...rows,
      ];
    }),
};
