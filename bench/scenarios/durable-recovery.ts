/** How soon everything in flight at a kill -9 is finished after the restart, beside DBOS. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { z } from "zod";
import { startChild } from "../kit/child.js";
import { withBenchPostgres, withClient, type BenchPostgres } from "../durable/bench-postgres.js";
import { startBenchHost } from "../durable/bench-host.js";
import { howToInstallRivals, isInstalled } from "../durable/contenders.js";
import { atMost, verdict } from "../kit/goal.js";
import { median } from "../kit/load.js";
import type { Row, Scenario } from "../kit/scenario.js";

const inFlight = 300;
const secondsGoal = atMost("R2", 2, "s");
const redoneGoal = atMost("R2", 1);
const storedGoal = atMost("R2", 0);
const patienceMs = 60_000;
const quietMs = 300;

interface Engine {
  /** Its first life begins the orchestrations, its second only goes on with them. */
  start(url: string, life: 1 | 2, settings: Readonly<Record<string, string>>): Promise<Life>;
  /** How many are on disk, and how many of them have ended. */
  readonly counts: string;
}

interface Life {
  stop(): Promise<void>;
  kill9(): Promise<void>;
}

const ours: Engine = {
  counts: "select count(*) as all, count(completed_at) as done from durable.instance",
  start: async (url, life, settings) => {
    const host = await startBenchHost(url, settings);
    const ids = Array.from({ length: life === 1 ? inFlight : 0 }, (_, n) => `noted-${n}`);
    await Promise.all(ids.map(async (id) => host.start("noted", id)));
    return host;
  },
};

const dbos: Engine = {
  counts:
    "select count(*) as all, count(*) filter (where status = 'SUCCESS') as done from dbos.workflow_status",
  start: async (url, life, settings) => {
    const count = String(life === 1 ? inFlight : 0);
    const child = startChild([resolve("bench/rivals/dbos.mjs"), url, "noted", count], settings);
    await child.lineAfter("ready");
    return child;
  },
};

const Counts = z.object({ all: z.coerce.number(), done: z.coerce.number() });

const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + patienceMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`Waited in vain until ${what}.`);
    await sleep(10);
  }
};

const linesOf = async (file: string): Promise<readonly string[]> =>
  (await readFile(file, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");

/** All are on disk, and no step has begun for a while: those that run are held. */
const allHeld = async (client: Client, engine: Engine, log: string): Promise<void> => {
  let seen = -1;
  let since = Date.now();
  await until(`${inFlight} are in flight`, async () => {
    const begun = (await linesOf(log)).length;
    if (begun !== seen) [seen, since] = [begun, Date.now()];
    const counts = Counts.parse((await client.query(engine.counts)).rows[0]);
    return counts.all === inFlight && Date.now() - since > quietMs;
  });
};

interface Recovery {
  readonly seconds: number;
  /** The most activities that any one orchestration repeated. */
  readonly redoneMost: number;
  readonly redone: number;
  /** Of activities whose result was on disk, for the next one had begun. */
  readonly redoneThoughStored: number;
}

/** What ran more than once, by orchestration. */
const repeats = (lines: readonly string[]): readonly number[] => {
  const steps = new Map<string, number>();
  for (const line of lines) steps.set(line, (steps.get(line) ?? 0) + 1);
  const byInstance = new Map<string, number>();
  for (const [line, times] of steps) {
    const id = line.split(" ", 1).join();
    byInstance.set(id, (byInstance.get(id) ?? 0) + times - 1);
  }
  return [...byInstance.values()];
};

const recover = async (
  postgres: BenchPostgres,
  engine: Engine,
  name: string,
): Promise<Recovery> => {
  const url = await postgres.createDatabase(name);
  const log = join(postgres.folder, `${name}.log`);
  const settings = { STEP_LOG: log };
  return withClient(url, async (client) => {
    const first = await engine.start(url, 1, { ...settings, HELD_STEP: "2" });
    await allHeld(client, engine, log);
    await first.kill9();
    const begun = new Set(await linesOf(log));
    const began = performance.now();
    const second = await engine.start(url, 2, settings);
    await until("all are finished", async () => {
      const { done } = Counts.parse((await client.query(engine.counts)).rows[0]);
      return done === inFlight;
    });
    const seconds = (performance.now() - began) / 1_000;
    await second.stop();
    const lines = await linesOf(log);
    const redone = repeats(lines);
    const stored = [...begun].filter(
      (line) => begun.has(line.replace(/ 1$/u, " 2")) && line.endsWith(" 1"),
    );
    return {
      seconds,
      redoneMost: Math.max(...redone),
      redone: redone.reduce((sum, times) => sum + times, 0),
      redoneThoughStored: repeats(lines.filter((line) => stored.includes(line))).reduce(
        (sum, times) => sum + times,
        0,
      ),
    };
  });
};

const rowsOf = (title: string, runs: readonly Recovery[], judged: boolean): readonly Row[] => {
  const seconds = median(runs.map((run) => run.seconds));
  const most = Math.max(...runs.map((run) => run.redoneMost));
  const stored = Math.max(...runs.map((run) => run.redoneThoughStored));
  const all = median(runs.map((run) => run.redone));
  return [
    {
      what: `${title}: restart to all ${inFlight} finished`,
      figure: `${seconds.toFixed(2)} s`,
      beside: judged ? verdict(secondsGoal, seconds) : "beside",
    },
    {
      what: `${title}: activities redone, most in one orchestration`,
      figure: String(most),
      beside: `${all} in all; ${judged ? verdict(redoneGoal, most) : "beside"}`,
    },
    {
      what: `${title}: activities redone though their result was stored`,
      figure: String(stored),
      beside: judged ? verdict(storedGoal, stored) : "beside",
    },
  ];
};

export const durableRecovery: Scenario = {
  name: "durable-recovery",
  title: "Recovery after kill -9",
  method:
    `${inFlight} orchestrations of three activities are in flight, the second activity of each held back so that none can ` +
    "end, when the process is killed; measured from spawning the process again until the database shows all of them " +
    "finished (nothing is held any more); medians of five kills, the contenders in turn on the same PostgreSQL. This engine " +
    "runs at most 100 activities at once, so the held ones keep some of the 300 before their first or second activity.",
  run: async (say, { quick }) =>
    withBenchPostgres(async (postgres) => {
      const engines = new Map([["ours", ours]]);
      if (isInstalled("dbos")) engines.set("dbos", dbos);
      else say(`DBOS is left out. ${howToInstallRivals}`);
      const runs = new Map<string, Recovery[]>();
      for (let round = 0; round < (quick ? 1 : 5); round += 1)
        for (const [name, engine] of engines) {
          const recovery = await recover(postgres, engine, `${name}_${round}`);
          say(`${name}: ${recovery.seconds.toFixed(2)} s, ${recovery.redone} activities redone`);
          runs.set(name, [...(runs.get(name) ?? []), recovery]);
        }
      return [
        ...rowsOf("this engine", runs.get("ours") ?? [], true),
        ...(engines.has("dbos") ? rowsOf("DBOS", runs.get("dbos") ?? [], false) : []),
      ];
    }),
};
