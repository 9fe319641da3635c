/** Onboardings completed per second: four flows, a bank and twenty-odd HTTP calls each. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { atLeast, atMost, verdict } from "../kit/goal.js";
import { median, percentile } from "../kit/load.js";
import { cpuSecondsBelow } from "../kit/processes.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { customer } from "../platform/customers.js";
import { firstPollMs, onboard, pollMsMax, sender, type Send } from "../platform/onboarding.js";
import { startPlatform, withTemporaryFolder } from "../platform/process.js";
import { acme, headersFor } from "../platform/session.js";

const depths = [1, 16, 64] as const;
const perDepth = (depth: number): number => (depth === 1 ? 20 : depth * 4);
const readEveryMs = 20;
/** Until then the just-in-time compiler takes more of the processor than the work does. */
const warmUp = { depth: 16, total: 200 };

const aloneGoal = atMost("P13", 90, "ms");
const rateGoal = atLeast("P13", 40, "a second");
const readGoal = atMost("P13", 50, "ms");

interface Load {
  /** Milliseconds that each onboarding took. */
  readonly each: readonly number[];
  /** Milliseconds that each read of a wallet beside them took. */
  readonly reads: readonly number[];
  readonly perSecond: number;
  /** Of the host and of PostgreSQL together, for each onboarding. */
  readonly cpuMs: number;
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

/** So many customers at once and, unless there is but one, somebody who reads a wallet every few milliseconds. */
const onboardAll = async (
  send: Send,
  {
    depth,
    firstCustomer,
    wallet,
    total = perDepth(depth),
  }: { depth: number; firstCustomer: number; wallet: string; total?: number },
): Promise<Load> => {
  const [each, reads]: [number[], number[]] = [[], []];
  let started = 0;
  let isOver = false;
  const worker = async (): Promise<void> => {
    while (started < total) {
      const index = firstCustomer + started;
      started += 1;
      each.push(await timed(() => onboard(send, customer(index), () => undefined)));
    }
  };
  const reader = async (): Promise<void> => {
    while (!isOver) {
      reads.push(await timed(() => send("GET", `/wallet/wallets/${wallet}`)));
      await sleep(readEveryMs);
    }
  };
  const cpuBefore = await cpuSecondsBelow(process.pid);
  const reading = depth === 1 ? undefined : reader();
  const elapsedMs = await timed(() => Promise.all(Array.from({ length: depth }, worker)));
  const cpuMs = (((await cpuSecondsBelow(process.pid)) - cpuBefore) * 1000) / total;
  isOver = true;
  await reading;
  return { each, reads, perSecond: (total * 1000) / elapsedMs, cpuMs };
};

/** How many operations of each type stand in each state; a former build does not tell. */
const Overview = z.array(z.record(z.string(), z.unknown()));
const tickMs = 60_000;
/** What a row takes at most, so that no tick falls into it. */
const rowMsMax = 40_000;
const settledPollMs = 250;

const isSettled = (overview: unknown): boolean =>
  Overview.parse(overview).every((item) =>
    Object.entries(item)
      .filter(([field]) => field.startsWith("total") && field !== "totalCompleted")
      .every(([, count]) => count === 0),
  );

/**
 * Each minute the credits of the onboardings before are settled, which is work of its own: a row begins
 * when that is done, and early enough before the next time.
 */
const betweenSettlements = async (send: Send): Promise<void> => {
  for (;;) {
    const { status, body } = await send("GET", "/wallet/statistics/operations");
    if (status === 404) return;
    const leftMs = tickMs - (Date.now() % tickMs);
    if (isSettled(body) && leftMs > rowMsMax) return;
    await sleep(settledPollMs);
  }
};

const rowOf = (depth: number, { each, reads, perSecond, cpuMs }: Load): Row => {
  const [typical, readP99] = [median(each), percentile(reads, 0.99)];
  const reading = depth === 1 ? [] : [`a wallet read beside them: p99 ${readP99.toFixed(0)} ms`];
  const figures = [
    `${perSecond.toFixed(1)} onboardings/s`,
    `p50 ${typical.toFixed(0)} ms each, slowest ${Math.max(...each).toFixed(0)} ms`,
    `CPU of host and PostgreSQL ${cpuMs.toFixed(0)} ms each`,
    ...reading,
  ];
  const verdicts = [
    ...(depth === 1 ? [`alone, ${verdict(aloneGoal, typical)}`] : []),
    ...(depth === 64 ? [verdict(rateGoal, perSecond), `read, ${verdict(readGoal, readP99)}`] : []),
  ];
  return {
    what: `${depth} at once`,
    figure: figures.join("; "),
    beside: verdicts.length === 0 ? "no goal" : verdicts.join("; "),
  };
};

export const onboardings: Scenario = {
  name: "onboardings",
  title: "Onboardings completed",
  method:
    "From POST /wallet/wallets to Completed in GET …/onboarding, through the HTTP API, with the sandbox bank " +
    `answering over the broker and the partner asking after ${firstPollMs} ms at first and then ever less often, ` +
    `${pollMsMax} ms at most; so many customers at once as the row says, after ${warmUp.total} to warm up. Beside several one client reads a wallet ` +
    `${readEveryMs} ms after its last read. Rows lie between two of the settlements that each minute begins. The load generator runs on the same machine and is in no figure of CPU.`,
  run: async (say, { quick }) =>
    withTemporaryFolder(async (folder) => {
      const platform = await startPlatform(join(folder, "data"));
      try {
        const send = sender(platform.url, await headersFor(platform.url, acme));
        const wallet = await onboard(send, customer(0), () => undefined);
        let firstCustomer = 1;
        if (!quick) await onboardAll(send, { ...warmUp, firstCustomer, wallet });
        firstCustomer += warmUp.total;
        const rows: Row[] = [];
        for (const depth of depths) {
          await betweenSettlements(send);
          const row = rowOf(depth, await onboardAll(send, { depth, firstCustomer, wallet }));
          firstCustomer += perDepth(depth);
          say(`${row.what}: ${row.figure}, ${row.beside}`);
          rows.push(row);
        }
        return rows;
      } finally {
        await platform.stop();
      }
    }),
};
