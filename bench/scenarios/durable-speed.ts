/** Orchestrations of three activities: rate and latency, beside DBOS, Restate and the bare floor. */
import { withBenchPostgres } from "../durable/bench-postgres.js";
import type { SlotFigures } from "../durable/closed-loop.js";
import {
  howToInstallRivals,
  startFloor,
  startOurs,
  startRival,
  type Contender,
} from "../durable/contenders.js";
import { atLeast, atMost, verdict, type Goal } from "../kit/goal.js";
import { median } from "../kit/load.js";
import type { Row, Scenario } from "../kit/scenario.js";

type Name = "ours" | "dbos" | "restate" | "single" | "grouped";
type Slots = ReadonlyMap<Name, readonly SlotFigures[]>;

const depths = [1, 16, 64] as const;
type Depth = (typeof depths)[number];

const titles: Readonly<Record<Name, string>> = {
  ours: "this engine",
  dbos: "DBOS",
  restate: "Restate",
  single: "floor, a commit each",
  grouped: "floor, group commit",
};

const rateGoals: Readonly<Record<"dbos" | "restate", Readonly<Record<Depth, Goal>>>> = {
  dbos: { 1: atLeast("P7", 3), 16: atLeast("P7", 5.5), 64: atLeast("P7", 7) },
  restate: { 1: atLeast("P8", 5), 16: atLeast("P8", 3.4), 64: atLeast("P8", 4) },
};

/** With several in flight the floor is a measure, not a goal: it has no replay, dispatch or request. */
const floorGoal = atLeast("P8", 0.5);

/** Rounds in which each contender gets a slot, the order turned by one each time. */
const alternate = async (
  contenders: ReadonlyMap<Name, Contender>,
  inFlight: number,
  pairs: number,
  seconds: number,
): Promise<Slots> => {
  const names = [...contenders.keys()];
  const slots = new Map<Name, SlotFigures[]>(names.map((name) => [name, []]));
  for (let round = -1; round < pairs; round += 1)
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(turn + round + 1) % names.length] ?? "ours";
      // The first round only warms up.
      const slot = await contenders
        .get(name)
        ?.slot({ inFlight, seconds: round < 0 ? seconds / 2 : seconds });
      if (slot !== undefined && round >= 0) slots.get(name)?.push(slot);
    }
  return slots;
};

const of = (slots: Slots, name: Name): readonly SlotFigures[] => slots.get(name) ?? [];

const medianOf = (slots: readonly SlotFigures[], read: (slot: SlotFigures) => number): number =>
  median(slots.map(read));

/** Median of the pairs' ratios. */
const ratio = (
  ours: readonly SlotFigures[],
  theirs: readonly SlotFigures[],
  read: (slot: SlotFigures) => number,
): number => median(ours.map((slot, pair) => read(slot) / read(theirs[pair] ?? slot)));

const perSecond = (slot: SlotFigures): number => slot.perSecond;

/** Whichever floor is the better one at this depth. */
const floorName = (slots: Slots): Name =>
  medianOf(of(slots, "single"), perSecond) >= medianOf(of(slots, "grouped"), perSecond)
    ? "single"
    : "grouped";

const figuresRow = (name: Name, depth: Depth, slots: readonly SlotFigures[]): Row => ({
  what: `${titles[name]}, ${depth} in flight`,
  figure: `${medianOf(slots, perSecond).toFixed(0)}/s`,
  beside: `p50 ${medianOf(slots, (slot) => slot.p50Ms).toFixed(2)} ms, p99 ${medianOf(slots, (slot) => slot.p99Ms).toFixed(2)} ms`,
});

const ratioRow = (what: string, value: number, goal?: Goal): Row => ({
  what,
  figure: value.toFixed(2),
  beside: goal === undefined ? "no goal" : verdict(goal, value),
});

const latencyRows = (slots: Slots, depth: Depth, floor: Name): readonly Row[] => {
  const ours = of(slots, "ours");
  const p99 = (slot: SlotFigures): number => slot.p99Ms;
  if (depth === 1) {
    const value = ratio(ours, of(slots, floor), (slot) => slot.p50Ms);
    return [ratioRow("p50 of this engine / floor, 1 in flight", value, atMost("P9", 2.2))];
  }
  if (depth !== 64) return [];
  const limits = [
    ["dbos", 0.15],
    ["restate", 0.4],
  ] as const;
  return limits.flatMap(([name, limit]) =>
    slots.has(name)
      ? [
          ratioRow(
            `p99 of this engine / ${titles[name]}, 64 in flight`,
            ratio(ours, of(slots, name), p99),
            atMost("P9", limit),
          ),
        ]
      : [],
  );
};

const rowsOf = (slots: Slots, depth: Depth): readonly Row[] => {
  const ours = of(slots, "ours");
  const floor = floorName(slots);
  const rateRow = (name: Name, goal?: Goal): Row =>
    ratioRow(
      `rate of this engine / ${titles[name]}, ${depth} in flight`,
      ratio(ours, of(slots, name), perSecond),
      goal,
    );
  return [
    ...[...slots].map(([name, taken]) => figuresRow(name, depth, taken)),
    ...(["dbos", "restate"] as const)
      .filter((name) => slots.has(name))
      .map((name) => rateRow(name, rateGoals[name][depth])),
    rateRow(floor, depth === 1 ? floorGoal : undefined),
    ...latencyRows(slots, depth, floor),
  ];
};

export const durableSpeed: Scenario = {
  name: "durable-speed",
  title: "Orchestrations of three activities",
  method:
    "A closed loop of so many orchestrations in flight, five rounds of 2 s slots in alternating order after a warm-up; " +
    "medians, and the median of the rounds' ratios. Each contender is a process that holds both the three activities and " +
    "the loop: DBOS is called in that process, this engine and Restate over HTTP on loopback, with a request that is " +
    "answered when the orchestration has ended. This engine, DBOS and the floor use the same PostgreSQL (fsync on), " +
    "Restate its own storage with default settings. The floor writes the five durable points of a chain of three and does nothing else.",
  run: async (say, { quick }) =>
    withBenchPostgres(async (postgres) => {
      const contenders = new Map<Name, Contender>();
      try {
        contenders.set("ours", await startOurs(postgres));
        contenders.set("single", await startFloor(postgres, "single"));
        contenders.set("grouped", await startFloor(postgres, "grouped"));
        for (const name of ["dbos", "restate"] as const) {
          const rival = await startRival(postgres, name);
          if (rival === null) say(`${titles[name]} is left out. ${howToInstallRivals}`);
          else contenders.set(name, rival);
        }
        const rows: Row[] = [];
        for (const depth of depths) {
          const slots = await alternate(contenders, depth, quick ? 1 : 5, quick ? 0.6 : 2);
          rows.push(...rowsOf(slots, depth));
          say(`${depth} in flight: done`);
        }
        return rows;
      } finally {
        for (const contender of contenders.values()) await contender.stop();
      }
    }),
};
