/** Orchestrations as lists of lines, and the ways in which a person might change one under way. */
import { seededRandom } from "../platform/seeded-random.js";

export interface Line {
  readonly kind:
    | "activity"
    | "retried"
    | "child"
    | "timer"
    | "event"
    | "entity"
    | "signal"
    | "all"
    | "any"
    | "status"
    | "return";
  readonly name?: string;
  readonly lines?: readonly Line[];
}

export type Program = readonly Line[];

const activity = (name: string): Line => ({ kind: "activity", name });
const event = (name: string): Line => ({ kind: "event", name });
const child = (name: string): Line => ({ kind: "child", name });
const timer: Line = { kind: "timer" };

/** How every program ends: it shows that it is there, and waits for the event by which it goes on. */
export const lastEvent = "goOn";
export const ending: Program = [{ kind: "status", name: "at rest" }, event(lastEvent)];

/** The programs that are changed, of all sorts of lines. */
export const programs: Readonly<Record<string, Program>> = {
  chain: [activity("stepA"), activity("stepB"), activity("stepC")],
  timers: [activity("stepA"), timer, activity("stepB"), timer],
  fan: [{ kind: "all", lines: [activity("stepA"), activity("stepB"), child("kidA")] }],
  race: [{ kind: "any", lines: [activity("stepA"), timer] }, activity("stepB")],
  family: [child("kidA"), activity("stepA"), child("kidB")],
  letters: [event("letterA"), activity("stepA"), event("letterB"), activity("stepB")],
  entities: [
    { kind: "signal", name: "entityA" },
    { kind: "entity", name: "entityB" },
    activity("stepA"),
  ],
  retries: [{ kind: "retried", name: "stepA" }, activity("stepB")],
};

const otherName: Readonly<Record<string, string>> = {
  stepA: "stepB",
  stepB: "stepC",
  stepC: "stepA",
  kidA: "kidB",
  kidB: "kidA",
  letterA: "letterB",
  letterB: "letterA",
  entityA: "entityB",
  entityB: "entityA",
};

const otherKind: Partial<Record<Line["kind"], Line>> = {
  activity: child("kidA"),
  retried: timer,
  child: activity("stepA"),
  timer: activity("stepC"),
  entity: activity("stepC"),
  signal: timer,
  event: timer,
};

export interface Mutant {
  readonly program: string;
  readonly change: string;
  readonly before: Program;
  readonly after: Program;
}

type Change = (program: Program, at: number) => Program | undefined;

const replaced = (program: Program, at: number, ...lines: Line[]): Program =>
  program.toSpliced(at, 1, ...lines);

/** Each change applies to one line; undefined where it makes no sense there. */
const changes: Readonly<Record<string, Change>> = {
  "two calls swapped": (program, at) => {
    const [line, next] = [program[at], program[at + 1]];
    if (line === undefined || next === undefined) return undefined;
    return program.toSpliced(at, 2, next, line);
  },
  "another name": (program, at) => {
    const line = program[at];
    const name = otherName[line?.name ?? ""];
    return line === undefined || name === undefined
      ? undefined
      : replaced(program, at, { ...line, name });
  },
  "another kind": (program, at) => {
    const line = program[at];
    const other = line === undefined ? undefined : otherKind[line.kind];
    return other === undefined ? undefined : replaced(program, at, other);
  },
  "a call missing": (program, at) => program.toSpliced(at, 1),
  "a call more": (program, at) => program.toSpliced(at, 0, activity("stepC")),
  "a timer more": (program, at) => program.toSpliced(at, 0, timer),
  "an early return": (program, at) => replaced(program, at, { kind: "return", name: "early" }),
  "the order within": (program, at) => {
    const line = program[at];
    return line?.lines === undefined
      ? undefined
      : replaced(program, at, { ...line, lines: line.lines.toReversed() });
  },
  "one less within": (program, at) => {
    const line = program[at];
    return line?.lines === undefined
      ? undefined
      : replaced(program, at, { ...line, lines: line.lines.slice(1) });
  },
  "one more within": (program, at) => {
    const line = program[at];
    return line?.lines === undefined
      ? undefined
      : replaced(program, at, { ...line, lines: [...line.lines, activity("stepC")] });
  },
};

/** All mutants that differ from their program. */
const allMutants = (): Mutant[] =>
  Object.entries(programs).flatMap(([name, before]) =>
    Object.entries(changes).flatMap(([change, apply]) =>
      before.flatMap((_, at) => {
        const after = apply(before, at);
        return after === undefined || JSON.stringify(after) === JSON.stringify(before)
          ? []
          : [{ program: name, change: `${change}, line ${at + 1}`, before, after }];
      }),
    ),
  );

export const drawMutants = (count: number, seed: number): Mutant[] => {
  const random = seededRandom(seed);
  const left = allMutants();
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(Math.floor(random() * left.length), 1),
  ).flat();
};
