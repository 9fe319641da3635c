/** What metrics tell of the platform's state: large books and a closing database keep nobody waiting. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { observeState } from "../../../functions/platform/gauges.js";
import { meters, type Reading } from "../../../shared/platform/telemetry/meters.js";
import { tracing } from "../../../shared/platform/telemetry/tracing.js";

type State = Parameters<typeof observeState>[0];

const hourMs = 3_600_000;
const note = vi.fn<State["note"]>();
let nowMs: number;
/** Ends the count of the books that is under way. */
let counts: ((outcome: Promise<{ count: number }>) => void)[];
let flows: { readonly flow: string; readonly state: string; readonly count: number }[];
let read: () => Promise<readonly Reading[]>;
let stop: () => void;

const rowOf = async (text: string): Promise<unknown> => {
  if (text.includes("bucket_mismatch")) return new Promise((resolve) => counts.push(resolve));
  return text.includes("set_aside") ? { count: 0 } : { waiting: 7, lines: [], refused: [] };
};

beforeEach(() => {
  nowMs = 1_000_000;
  counts = [];
  flows = [{ flow: "flowRun", state: "Queued", count: 2 }];
  note.mockClear();
  vi.spyOn(tracing, "isOn").mockReturnValue(true);
  vi.spyOn(meters, "observe").mockImplementation((_gauges, given) => (read = given));
  const database = {
    row: (_row: unknown, text: string) => rowOf(text),
    rows: async () => flows,
    pool: { totalCount: 2, idleCount: 1, waitingCount: 0 },
  } as unknown as State["database"];
  stop = observeState({ database, clock: { nowMs: () => nowMs }, note });
});

afterEach(() => {
  vi.restoreAllMocks();
});

const told = async (name: string): Promise<number | undefined> =>
  (await read()).find((reading) => reading.name === name)?.value;
const mismatches = "borsello.ledger.mismatches";
const waiting = "borsello.outbox.waiting";

test("books that take long to count keep nothing waiting, and are counted once an hour", async () => {
  expect(await told(waiting)).toBe(7);
  nowMs += hourMs / 2;
  expect(await told(mismatches)).toBeUndefined();
  expect(counts).toHaveLength(1);
  counts[0]?.(Promise.resolve({ count: 3 }));
  await expect.poll(() => told(mismatches)).toBe(3);
  nowMs += hourMs / 2;
  await read();
  expect(counts).toHaveLength(2);
});

test("books that cannot be counted are told of, and left alone for an hour", async () => {
  await read();
  counts[0]?.(Promise.reject(new Error("canceling statement due to statement timeout")));
  await expect.poll(() => note.mock.calls).toHaveLength(1);
  nowMs += hourMs - 1;
  expect(await told(mismatches)).toBeUndefined();
  expect(await told(waiting)).toBe(7);
  expect(counts).toHaveLength(1);
});

test("flows are told of by their name and state, those that are gone as none", async () => {
  const told = async () =>
    (await read()).flatMap(({ name, value, attributes = {} }) =>
      name === "borsello.flow.open" ? [[...Object.values(attributes), value]] : [],
    );
  expect(await told()).toEqual([["flowRun", "Queued", 2]]);
  flows = [{ flow: "flowRun", state: "Running", count: 1 }];
  // The SDK would go on telling of two.
  expect(await told()).toEqual([
    ["flowRun", "Queued", 0],
    ["flowRun", "Running", 1],
  ]);
});

test("nothing is asked of a database that is being closed", async () => {
  stop();
  expect(await read()).toEqual([]);
  expect(counts).toHaveLength(0);
});
