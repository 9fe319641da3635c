/** What one orchestration costs as it gets longer or wider, and what it leaves on disk. */
import { z } from "zod";
import { atMost, verdict, type Goal } from "../kit/goal.js";
import { median } from "../kit/load.js";
import type { Row } from "../kit/scenario.js";
import { startBenchHost, type BenchHost } from "./bench-host.js";
import { withClient, type BenchPostgres } from "./bench-postgres.js";

const longestSeconds = 600;

/** Milliseconds per activity: `runs` orchestrations of so many activities, so many at once. */
const msPerActivity = async (
  host: BenchHost,
  flow: string,
  activities: number,
  runs: number,
  inFlight: number,
): Promise<number> => {
  const request = { inFlight, seconds: longestSeconds, runsMax: runs, input: activities };
  const figures = await host.drive(flow, request);
  return 1_000 / (figures.perSecond * activities);
};

interface Comparison {
  readonly flow: string;
  readonly unit: string;
  readonly units: string;
  readonly large: number;
  readonly small: number;
  readonly pairs: number;
  /** As many small ones to a slot as take about as long as the large one may. */
  readonly smallRuns: number;
  /** How many of the small ones run at once. */
  readonly smallInFlight: number;
  readonly goal: Goal;
}

const compare = async (
  postgres: BenchPostgres,
  { flow, unit, units, large, small, pairs, smallRuns, smallInFlight, goal }: Comparison,
): Promise<readonly Row[]> => {
  const host = await startBenchHost(await postgres.createDatabase(`size_${flow}`));
  try {
    await msPerActivity(host, flow, small, 20, 1); // warm-up, not counted
    const larges: number[] = [];
    const smalls: number[] = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      smalls.push(await msPerActivity(host, flow, small, smallRuns, smallInFlight));
      larges.push(await msPerActivity(host, flow, large, 1, 1));
    }
    const ratio = median(larges.map((ms, pair) => ms / (smalls[pair] ?? Number.NaN)));
    return [
      {
        what: `time per ${unit}, ${large} / ${small} ${units}`,
        figure: ratio.toFixed(2),
        beside: `${median(larges).toFixed(2)} ms, ${median(smalls).toFixed(2)} ms; ${verdict(goal, ratio)}`,
      },
    ];
  } finally {
    await host.stop();
  }
};

export const stepsRow = async (postgres: BenchPostgres, quick: boolean): Promise<readonly Row[]> =>
  compare(postgres, {
    flow: "steps",
    unit: "step",
    units: "steps",
    large: quick ? 300 : 10_000,
    small: 10,
    pairs: quick ? 1 : 3,
    smallRuns: quick ? 10 : 100,
    smallInFlight: 1,
    goal: atMost("G3", 1.3),
  });

export const fanRow = async (postgres: BenchPostgres, quick: boolean): Promise<readonly Row[]> =>
  compare(postgres, {
    flow: "fan",
    unit: "child",
    units: "children",
    large: quick ? 200 : 1_000,
    small: 10,
    pairs: quick ? 1 : 5,
    // As many children at once as the wide one has.
    smallRuns: quick ? 20 : 100,
    smallInFlight: quick ? 20 : 100,
    goal: atMost("G4", 1.2),
  });

const diskBytes = async (url: string): Promise<number> =>
  withClient(url, async (client) => {
    const { rows } = await client.query(
      `select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class c
       where c.relnamespace = 'durable'::regnamespace and c.relkind = 'r'`,
    );
    return z.object({ bytes: z.number() }).parse(rows[0]).bytes;
  });

export const bytesRow = async (
  postgres: BenchPostgres,
  quick: boolean,
): Promise<readonly Row[]> => {
  const url = await postgres.createDatabase("size_bytes");
  const host = await startBenchHost(url);
  try {
    const before = await diskBytes(url);
    const { runs } = await host.drive("chain", { inFlight: 64, seconds: quick ? 1 : 10 });
    const kilobytes = ((await diskBytes(url)) - before) / runs / 1_000;
    return [
      {
        what: "on disk per finished orchestration of three activities",
        figure: `${kilobytes.toFixed(2)} KB`,
        beside: `tables and indexes as ${runs} runs left them; ${verdict(atMost("G5", 1.5, "KB"), kilobytes)}`,
      },
    ];
  } finally {
    await host.stop();
  }
};
