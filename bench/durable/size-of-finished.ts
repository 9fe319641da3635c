/** What a million finished instances cost: the rate beside an empty engine, and their purge. */
import { atLeast, atMost, verdict } from "../kit/goal.js";
import { median } from "../kit/load.js";
import type { Row } from "../kit/scenario.js";
import { startBenchHost, type BenchHost } from "./bench-host.js";
import { withClient, type BenchPostgres } from "./bench-postgres.js";
import { cloneInstance } from "./clone-instances.js";

const inFlight = 16;
/** Few enough that the purge, not the load, takes the machine. */
const inFlightDuringPurge = 4;
const purgeSecondsMax = 600;

const withFinished = async (postgres: BenchPostgres, count: number): Promise<string> => {
  const url = await postgres.createDatabase("size_finished");
  const host = await startBenchHost(url);
  await host.start("chain", "finished");
  await host.drive("chain", { inFlight: 1, seconds: 1 });
  await host.stop();
  await withClient(url, async (client) => {
    await cloneInstance(client, "finished", count);
    // Writing so much back would otherwise go on during the first slots.
    await client.query("checkpoint");
  });
  return url;
};

const rateRow = async (
  full: BenchHost,
  empty: BenchHost,
  finished: number,
  quick: boolean,
): Promise<Row> => {
  const load = { inFlight, seconds: quick ? 1 : 2 };
  const ratios: number[] = [];
  for (let pair = -1; pair < (quick ? 1 : 5); pair += 1) {
    const [first, second] = pair % 2 === 0 ? [full, empty] : [empty, full];
    const a = (await first.drive("chain", load)).perSecond;
    const b = (await second.drive("chain", load)).perSecond;
    // The first pair only warms up.
    if (pair >= 0) ratios.push(first === full ? a / b : b / a);
  }
  return {
    what: `rate with ${finished} finished instances / empty`,
    figure: median(ratios).toFixed(2),
    beside: verdict(atLeast("G2", 0.9), median(ratios)),
  };
};

const purgeRows = async (
  host: BenchHost,
  finished: number,
  quick: boolean,
): Promise<readonly Row[]> => {
  const load = { inFlight: inFlightDuringPurge, seconds: quick ? 1 : 5 };
  const before = await host.drive("chain", load);
  const p99s: number[] = [];
  const purge = { isOver: false };
  const began = performance.now();
  const purged = host
    .api("DELETE", "instances", "&createdTimeFrom=2000-01-01T00:00:00Z&runtimeStatus=Completed")
    .finally(() => (purge.isOver = true));
  const deadline = began + purgeSecondsMax * 1_000;
  while (!purge.isOver && performance.now() < deadline)
    p99s.push((await host.drive("chain", { ...load, seconds: 1 })).p99Ms);
  const answer = await purged;
  const seconds = (performance.now() - began) / 1_000;
  if (answer.status !== 200) throw new Error(`The purge answered ${answer.status}.`);
  const ratio = median(p99s) / before.p99Ms;
  return [
    {
      what: `purge of ${finished} finished instances`,
      figure: `${seconds.toFixed(1)} s`,
      beside: verdict(atMost("G2", 60, "s"), seconds),
    },
    {
      what: `p99 of orchestrations during the purge / before, ${inFlightDuringPurge} in flight`,
      figure: ratio.toFixed(2),
      beside: `before ${before.p99Ms.toFixed(1)} ms; ${verdict(atMost("G2", 2), ratio)}`,
    },
  ];
};

export const finishedRows = async (
  postgres: BenchPostgres,
  quick: boolean,
): Promise<readonly Row[]> => {
  const finished = quick ? 20_000 : 1_000_000;
  const full = await startBenchHost(await withFinished(postgres, finished));
  const empty = await startBenchHost(await postgres.createDatabase("size_empty"));
  try {
    const rate = await rateRow(full, empty, finished, quick);
    return [rate, ...(await purgeRows(full, finished, quick))];
  } finally {
    await empty.stop();
    await full.stop();
    await postgres.dropDatabase("size_finished");
  }
};
