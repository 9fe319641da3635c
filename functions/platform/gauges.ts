/** What metrics tell of the platform's state, each time that they leave: what waits, what does not add up, connections. */
import { outboxBacklog } from "../../shared/database/outbox/backlog.js";
import { openFlows } from "../../shared/database/settlement/open-flows.js";
import { countMismatches } from "../../shared/database/ledger/mismatches.js";
import { countSetAside } from "../../shared/database/platform/sweeps.js";
import { meters, type Gauge, type Reading } from "../../shared/platform/telemetry/meters.js";
import { tracing } from "../../shared/platform/telemetry/tracing.js";
import type { Services } from "../kit/services.js";

const gauges: readonly Gauge[] = [
  {
    name: "borsello.outbox.waiting",
    unit: "{message}",
    description: "Messages that have not reached all their destinations; counted up to 10,000.",
  },
  {
    name: "borsello.outbox.oldest",
    unit: "s",
    description: "Age of the oldest of these.",
  },
  {
    name: "borsello.outbox.refused",
    unit: "{message}",
    description: "Messages that a destination refuses for their own sake, given up on or not.",
  },
  {
    name: "borsello.flow.open",
    unit: "{flow}",
    description:
      "Flows that the tables say are at work, by how far they are; counted up to 10,000 of each kind.",
  },
  {
    name: "borsello.flow.set_aside",
    unit: "{flow}",
    description: "Flows that could not be started, which borsello.set_aside explains.",
  },
  {
    name: "borsello.ledger.mismatches",
    unit: "{bucket}",
    description: "Buckets whose balance is not the sum of their entries; looked at once an hour.",
  },
  {
    name: "db.client.connection.count",
    unit: "{connection}",
    description: "Connections of the pool, by what they do.",
  },
  {
    name: "db.client.connection.pending_requests",
    unit: "{request}",
    description: "Work that waits for a connection.",
  },
];

/** All entries are read for it. */
const mismatchesFreshMs = 3_600_000;

type Means = Pick<Services, "database" | "clock" | "note">;

const ofPool = ({
  totalCount,
  idleCount,
  waitingCount,
}: Services["database"]["pool"]): Reading[] => {
  const name = "db.client.connection.count";
  return [
    { name, value: idleCount, attributes: { "db.client.connection.state": "idle" } },
    { name, value: totalCount - idleCount, attributes: { "db.client.connection.state": "used" } },
    { name: "db.client.connection.pending_requests", value: waitingCount },
  ];
};

const ofOutbox = async ({ database }: Means): Promise<Reading[]> => {
  const { waiting, lines, refused } = await outboxBacklog(database);
  const refusedCount = refused.reduce((sum, { retried, givenUp }) => sum + retried + givenUp, 0);
  return [
    { name: "borsello.outbox.waiting", value: waiting },
    { name: "borsello.outbox.oldest", value: lines[0]?.oldestSeconds ?? 0 },
    { name: "borsello.outbox.refused", value: refusedCount },
    { name: "borsello.flow.set_aside", value: await countSetAside(database) },
  ];
};

/** Of a series that is left out, the SDK tells its last value again: one whose flows are gone is told as none. */
const flowsOf = ({ database }: Means): (() => Promise<Reading[]>) => {
  const told = new Map<string, Reading>();
  return async () => {
    const open = await openFlows(database);
    for (const [key, reading] of told) told.set(key, { ...reading, value: 0 });
    for (const { flow, state, count } of open)
      told.set(`${flow} ${state}`, {
        name: "borsello.flow.open",
        value: count,
        attributes: { "borsello.flow.name": flow, "borsello.flow.state": state },
      });
    return [...told.values()];
  };
};

/**
 * Counts in the background, once an hour whatever becomes of it: large books take longer than the others can wait,
 * and one that could not be counted would be read again and again.
 */
const mismatchesOf = ({ database, clock, note }: Means): (() => Reading[]) => {
  let dueAtMs = -Infinity;
  let known: number | undefined;
  const count = async (): Promise<void> => {
    known = undefined;
    known = await countMismatches(database);
  };
  return () => {
    if (clock.nowMs() >= dueAtMs) {
      dueAtMs = clock.nowMs() + mismatchesFreshMs;
      void count().catch((error: unknown) => note("Counting the ledger's mismatches", error));
    }
    return known === undefined ? [] : [{ name: "borsello.ledger.mismatches", value: known }];
  };
};

/** What cannot be read now keeps its last value, and the others are told all the same. Returns what ends it. */
export const observeState = (means: Means): (() => void) => {
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
  };
  if (!tracing.isOn()) return stop;
  const mismatches = mismatchesOf(means);
  const flows = flowsOf(means);
  meters.observe(gauges, async () => {
    // What leaves at the end must not wait for a database that is being closed.
    if (isStopped) return [];
    const ofLedger = mismatches();
    const known = (read: Promise<Reading[]>): Promise<Reading[]> =>
      read.catch((error: unknown) => {
        means.note("Reading what metrics tell", error);
        return [];
      });
    const asked = await Promise.all([known(ofOutbox(means)), known(flows())]);
    return [...asked.flat(), ...ofLedger, ...ofPool(means.database.pool)];
  });
  return stop;
};
