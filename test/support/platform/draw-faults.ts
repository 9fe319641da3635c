/** Faults in an order of chance that can be told again: the same for the same seed. */
import type { FaultPlatform, Pausable } from "./fault-platform.js";
import { seededBelow } from "./seeded-random.js";

export interface Fault {
  readonly name: string;
  readonly inflict: (platform: FaultPlatform) => Promise<unknown>;
  /** The next one comes before it is over. */
  readonly isHurried?: boolean;
}

/** How many of each; what is left out does not happen. */
export interface FaultCounts {
  readonly kills?: number;
  readonly connectionsEnded?: number;
  readonly postmasterKills?: number;
  readonly serverProcessKills?: number;
  readonly brokerKills?: number;
  readonly pauses?: Partial<Readonly<Record<Pausable, number>>>;
  readonly pauseMs?: number;
  readonly fullDisks?: number;
  readonly fullMs?: number;
}

const times = (count: number | undefined, fault: Fault): Fault[] =>
  Array<Fault>(count ?? 0).fill(fault);

/** One in so many kills comes while what was killed before it is still on its way up. */
const hurriedOneIn = 5;

const all = (counts: FaultCounts, draw: (bound: number) => number): Fault[] => {
  const { pauses = {}, pauseMs = 60_000, fullMs = 20_000 } = counts;
  const paused = (what: Pausable): Fault[] =>
    times(pauses[what], {
      name: `${what} paused`,
      inflict: (platform) => platform.pause(what, pauseMs),
    });
  const kills: Fault[] = [
    ...times(counts.kills, {
      name: "platform killed",
      inflict: (platform) => platform.kill(),
    }),
    ...times(counts.postmasterKills, {
      name: "postmaster killed",
      inflict: (platform) => platform.killPostmaster(),
    }),
    ...times(counts.serverProcessKills, {
      name: "process of the server killed",
      inflict: (platform) => platform.killServerProcess(draw),
    }),
    ...times(counts.brokerKills, {
      name: "broker killed",
      inflict: (platform) => platform.killBroker(),
    }),
  ];
  return [
    ...kills.map((fault) => ({ ...fault, isHurried: draw(hurriedOneIn) === 0 })),
    ...times(counts.connectionsEnded, {
      name: "connections ended",
      inflict: (platform) => platform.endConnections(),
    }),
    ...paused("platform"),
    ...paused("postmaster"),
    ...paused("server"),
    ...paused("broker"),
    ...times(counts.fullDisks, {
      name: "disk full",
      inflict: (platform) => platform.fillDisk(fullMs),
    }),
  ];
};

export const drawFaults = (counts: FaultCounts, seed: number): readonly Fault[] => {
  const draw = seededBelow(seed);
  const faults = all(counts, draw);
  for (let last = faults.length - 1; last > 0; last -= 1) {
    const other = draw(last + 1);
    const [one, two] = [faults[last], faults[other]];
    if (one !== undefined && two !== undefined) [faults[last], faults[other]] = [two, one];
  }
  return faults;
};
