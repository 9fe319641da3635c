/**
 * Two engines on one hub, whose entities keep a list of what they were told, in the order in which they heard it.
 * An operation named poison leads to what the database refuses.
 */
import type { Pool } from "pg";
import { localClock } from "../../../local/clock.js";
import { startEngine, type DurableEngine } from "../../../local/durable/engine.js";
import type { DurableFunctions } from "../../../local/durable/protocol/functions.js";
import { openPool } from "../database/connections.js";
import { DatabaseProxy } from "../database/database-proxy.js";
import { seededRandom } from "../platform/seeded-random.js";

interface Batch {
  readonly state?: string;
  readonly batch: readonly { readonly name: string; readonly input?: string }[];
}

const functions: DurableFunctions = {
  find: (_kind, name) => name,
  names: () => [],
  runOrchestrator: async () => Promise.reject(new Error("no orchestration is expected")),
  runActivity: async () => Promise.reject(new Error("no activity is expected")),
  runEntity: async (_name, trigger) => {
    const { state, batch } = trigger as Batch;
    const heard = JSON.parse(state ?? "[]") as unknown[];
    const more = batch.map(({ input = "null" }) => JSON.parse(input) as unknown);
    const entityState = JSON.stringify([...heard, ...more]);
    // No text of the database's holds this character.
    const poison = { target: { name: "list", key: "\0" }, name: "add" };
    const signals = batch.flatMap(({ name }) => (name === "poison" ? [poison] : []));
    return { entityExists: true, entityState, results: [], signals };
  },
};

const base = "http://127.0.0.1/runtime/webhooks/durabletask";

export interface HostInProcess {
  readonly engine: DurableEngine;
  readonly proxy: DatabaseProxy;
  /** A call of the management API. */
  ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: string }>;
  stop(): Promise<void>;
}

export const startHostInProcess = async (
  databaseUrl: string,
  sweepMs: number,
): Promise<HostInProcess> => {
  const proxy = await DatabaseProxy.before(databaseUrl);
  const pool: Pool = openPool(proxy.url);
  const engine = await startEngine({
    pool,
    hub: "hub",
    functions,
    clock: localClock(),
    baseUrl: "http://127.0.0.1",
    key: "key",
    settings: { sweepMs },
  });
  return {
    engine,
    proxy,
    ask: async (method, path, body) => {
      const url = new URL(`${base}/${path}`);
      url.searchParams.set("code", "key");
      const text = body === undefined ? "" : JSON.stringify(body);
      const answer = await engine.handleHttp({ method, url, headers: {}, body: Buffer.from(text) });
      if (answer === null) throw new Error(`${path} was expected to be an address of the API`);
      return { status: answer.status, body: answer.body };
    },
    stop: async () => {
      await engine.stop();
      await pool.end();
      await proxy.close();
    },
  };
};

export const startHostsInProcess = async (
  databaseUrl: string,
  sweepMs: number,
): Promise<HostInProcess[]> => [
  await startHostInProcess(databaseUrl, sweepMs),
  await startHostInProcess(databaseUrl, sweepMs),
];

export interface Load {
  readonly entities: number;
  readonly signalsEach: number;
  /** So many answers to writes are lost meanwhile at most, on either host. */
  readonly lostAnswers: number;
  readonly seed: number;
}

interface Heard {
  /** By entity, the numbers that it heard; it was told 0, 1, 2 and so on, each after the one before was acknowledged. */
  readonly lists: readonly (readonly number[])[];
  /** How many were lost until all was heard. */
  readonly lostAnswers: number;
  readonly acknowledgedPerSecond: number;
  /** The longest time from an acknowledgement of the last signal until its entity had heard it. */
  readonly longestDelayMs: number;
}

const sleep = async (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/** Tells each entity its numbers, each through a host that is drawn by lot, and waits until all are heard. */
const runLoad = async (hosts: readonly HostInProcess[], load: Load): Promise<Heard> => {
  const random = seededRandom(load.seed);
  const draw = (): HostInProcess => {
    const host = hosts[Math.floor(random() * hosts.length)];
    if (host === undefined) throw new Error("there is always a host");
    return host;
  };
  const heard = async (key: string): Promise<number[]> =>
    JSON.parse((await draw().ask("GET", `entities/list/${key}`)).body || "[]") as number[];
  let isOver = false;
  let lostAnswers = 0;
  const begunAt = performance.now();
  const tell = async (key: string): Promise<number> => {
    for (let n = 0; n < load.signalsEach; n++) {
      const { status } = await draw().ask("POST", `entities/list/${key}?op=add`, n);
      if (status !== 202) throw new Error(`a signal was answered ${status}`);
    }
    const toldAt = performance.now();
    while (!(await heard(key)).includes(load.signalsEach - 1)) await sleep(5);
    return performance.now() - toldAt;
  };
  const lose = async (): Promise<void> => {
    for (; lostAnswers < load.lostAnswers && !isOver; lostAnswers++) {
      draw().proxy.loseAnswerTo("durable-flush");
      // A retry of a write comes through before the next one is struck: five seconds of them would be an outage.
      await sleep(250);
    }
  };
  const keys = Array.from({ length: load.entities }, (_, n) => `${load.seed}-${n}`);
  const losing = lose();
  const delays = await Promise.all(keys.map(tell));
  const seconds = (performance.now() - begunAt) / 1_000;
  isOver = true;
  await losing;
  // What was done twice would come late, too.
  for (const { engine } of hosts) await engine.settle(5_000);
  return {
    lostAnswers,
    lists: await Promise.all(keys.map(heard)),
    acknowledgedPerSecond: Math.round((load.entities * load.signalsEach) / seconds),
    longestDelayMs: Math.round(Math.max(...delays)),
  };
};

export interface Faults {
  /** Numbers that were heard before one that had been acknowledged earlier. */
  readonly early: number;
  /** Numbers that were heard more than once. */
  readonly repeated: number;
  /** Numbers that were never heard. */
  readonly missing: number;
}

const faultsOf = ({ lists }: Heard, { signalsEach }: Load): Faults => {
  const count = (of: (list: readonly number[]) => number): number =>
    lists.reduce((sum, list) => sum + of(list), 0);
  return {
    early: count((list) => list.filter((n, index) => list.indexOf(n - 1) > index).length),
    repeated: count((list) => list.length - new Set(list).size),
    missing: count((list) => signalsEach - new Set(list).size),
  };
};

/** Runs the load, and prints what came of it. */
export const faultsUnder = async (hosts: readonly HostInProcess[], load: Load): Promise<Faults> => {
  const heard = await runLoad(hosts, load);
  const faults = faultsOf(heard, load);
  const { acknowledgedPerSecond, longestDelayMs } = heard;
  const signals = load.entities * load.signalsEach;
  console.log(
    `${hosts.length} hosts, ${signals} signals, ${heard.lostAnswers} answers lost: ${faults.early} early, ` +
      `${faults.repeated} repeated, ${faults.missing} missing; ${acknowledgedPerSecond} a second, ` +
      `heard ${longestDelayMs} ms after the last acknowledgement at most`,
  );
  return faults;
};
