/** What waiting orchestrations cost: the start of a host that has many, and its memory. */
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { residentMiB } from "../kit/processes.js";
import type { Row } from "../kit/scenario.js";
import { startBenchHost, type BenchHost } from "./bench-host.js";
import { withClient, type BenchPostgres } from "./bench-postgres.js";
import { cloneInstance } from "./clone-instances.js";

const Status = z.object({ runtimeStatus: z.string() });
const patienceMs = 120_000;

const statusOf = async (host: BenchHost, id: string): Promise<string> =>
  Status.parse(await (await host.api("GET", `instances/${id}`)).json()).runtimeStatus;

const untilStatus = async (host: BenchHost, id: string, wanted: string): Promise<void> => {
  const deadline = Date.now() + patienceMs;
  while ((await statusOf(host, id)) !== wanted) {
    if (Date.now() > deadline) throw new Error(`${id} did not become ${wanted}.`);
    await sleep(5);
  }
};

/** Starts a host; resolves to it and to the seconds until it had woken the instance. */
const timedStart = async (url: string, id: string): Promise<[BenchHost, number]> => {
  const began = performance.now();
  const host = await startBenchHost(url);
  await host.raise(id);
  await untilStatus(host, id, "Completed");
  return [host, (performance.now() - began) / 1_000];
};

export const waitingRows = async (
  postgres: BenchPostgres,
  count: number,
): Promise<readonly Row[]> => {
  const name = `waiting_${count}`;
  const url = await postgres.createDatabase(name);
  const first = await startBenchHost(url);
  for (const id of ["waiting", "bystander"]) {
    await first.start("awaitEvent", id);
    await untilStatus(first, id, "Running");
  }
  await first.stop();
  const [alone, aloneSeconds] = await timedStart(url, "bystander");
  const aloneMiB = await residentMiB(alone.pid);
  await alone.stop();
  await withClient(url, async (client) => cloneInstance(client, "waiting", count));
  const [host, seconds] = await timedStart(url, `waiting-${count}`);
  await sleep(2_000);
  const mib = await residentMiB(host.pid);
  await host.stop();
  await postgres.dropDatabase(name);
  return [
    {
      what: `start with ${count} waiting orchestrations, until one of them has ended`,
      figure: `${seconds.toFixed(2)} s`,
      beside: `${aloneSeconds.toFixed(2)} s with one; no goal`,
    },
    ...(mib === null || aloneMiB === null
      ? []
      : [
          {
            what: `host with ${count} waiting orchestrations, resident`,
            figure: `${mib.toFixed(0)} MiB`,
            beside: `${aloneMiB.toFixed(0)} MiB with one; no goal`,
          },
        ]),
  ];
};
