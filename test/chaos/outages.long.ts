/**
 * The fault run: a hundred deaths of the platform and fifty of PostgreSQL's processes, pauses of a minute, a full
 * disk and a frozen broker, in an order of chance under load. These variables make a part of it, or another one:
 * SEED, FAULT_CLIENTS, FAULT_KILLS, FAULT_DATABASE_KILLS, FAULT_PAUSES (rounds of them), FAULT_PAUSE_SECONDS,
 * FAULT_DISKS (how often the disk is full).
 */
import { expect, test } from "vitest";
import { drawFaults, type FaultCounts } from "../support/platform/draw-faults.js";
import { runFaults, type FaultRun } from "../support/platform/fault-run.js";
import { noSmallDisk } from "../support/platform/small-disk.js";
import { whileItMoves } from "../support/platform/progress.js";

const setting = (name: string, otherwise: number): number => {
  const value = Number(process.env[name] ?? otherwise);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`${name} must be a whole number, not ${process.env[name] ?? ""}.`);
};

const seed = setting("SEED", Math.floor(Math.random() * 1_000_000));
const clients = setting("FAULT_CLIENTS", 6);
const kills = setting("FAULT_KILLS", 100);
const databaseKills = setting("FAULT_DATABASE_KILLS", 50);
const pauses = setting("FAULT_PAUSES", 2);
const pauseMs = setting("FAULT_PAUSE_SECONDS", 60) * 1_000;
const fullDisks = setting("FAULT_DISKS", 2);
const diskMegabytes = 2_000;
const noLimit = 0;

/** One half with the broker in the platform's process, the other with the broker as one of its own. */
const half = (count: number, isBrokerApart: boolean): number =>
  isBrokerApart ? Math.floor(count / 2) : Math.ceil(count / 2);

/** Of all that it printed, why. */
const reasonOf = (refusal: string): string =>
  refusal.split("\n").findLast((line) => line.startsWith("The start failed")) ??
  refusal.slice(-500);

const figuresOf = ({ recoveredMs, refusedStarts, ...run }: FaultRun) => {
  const kinds = [...new Set(recoveredMs.map(([name]) => name))].sort();
  const recovered = kinds.map((kind) => {
    const all = recoveredMs.flatMap(([name, ms]) => (name === kind ? [ms] : []));
    const sorted = all.sort((one, other) => one - other);
    const [p50, max] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    return [kind, { measured: sorted.length, p50, max }] as const;
  });
  return {
    ...run,
    refusedStarts: refusedStarts.map(reasonOf),
    recoveredMs: Object.fromEntries(recovered),
  };
};

const faultsUnderLoad = async (isBrokerApart: boolean, hasSmallDisk: boolean): Promise<void> => {
  const counts: FaultCounts = {
    kills: half(kills, isBrokerApart),
    // Half of PostgreSQL's deaths are the postmaster's, half of one of its sessions or helpers.
    postmasterKills: half(half(databaseKills, isBrokerApart), false),
    serverProcessKills: half(half(databaseKills, isBrokerApart), true),
    connectionsEnded: Math.round(half(kills, isBrokerApart) / 5),
    brokerKills: isBrokerApart ? Math.ceil(kills / 20) : 0,
    pauses: {
      platform: half(pauses, isBrokerApart),
      postmaster: half(pauses, isBrokerApart),
      server: half(pauses, isBrokerApart),
      broker: isBrokerApart ? pauses : 0,
    },
    pauseMs,
    fullDisks: hasSmallDisk ? half(fullDisks, isBrokerApart) : 0,
  };
  const run = await whileItMoves("faults", (moved) =>
    runFaults({
      ...{ clients, errandsMax: 8, betweenMs: 2_000, seed, isBrokerApart },
      ...(hasSmallDisk ? { diskMegabytes } : {}),
      faults: drawFaults(counts, seed + Number(isBrokerApart)),
      over: (fault, ms) => {
        console.log(`${new Date().toISOString()} ${fault}: ${ms} ms`);
        moved();
      },
    }),
  );
  console.log(JSON.stringify({ seed, isBrokerApart, counts, ...figuresOf(run) }, undefined, 2));
  expect(run.acknowledged).toBeGreaterThan(0);
};

const reason = await noSmallDisk();
const disk = reason === undefined ? "" : ` (without a full disk: ${reason})`;

test.each([
  { broker: "in the platform's process", isBrokerApart: false },
  { broker: "as a process of its own", isBrokerApart: true },
])(
  `the fault run with the broker $broker, seed ${seed}${disk}`,
  { timeout: noLimit },
  ({ isBrokerApart }) => faultsUnderLoad(isBrokerApart, reason === undefined),
);
