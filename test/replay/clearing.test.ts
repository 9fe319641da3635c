/** Plays clearing to each of its ends. */
import { expect, test } from "vitest";
import { clearing } from "../../orchestrations/clearing.flow.js";
import { play, type Answers, type Happening } from "./play.js";

const input = { clearingBookmarkId: "01890a5d-ac96-774b-bcce-b302099a8057", round: 1 };

interface Look {
  readonly status: string;
  readonly next: string;
  readonly dueAt?: string;
  readonly feedback?: string;
}

/** Where the clearing is, one for each look; the last one stays. */
const looks = (answers: Answers, ...states: readonly Look[]): Answers => {
  let look = 0;
  return {
    readClearingState: () => {
      const {
        dueAt = null,
        feedback = null,
        ...state
      } = states[Math.min(look, states.length - 1)] ?? { status: "Unknown", next: "end" };
      look += 1;
      return { ...state, dueAt, feedback };
    },
    ...Object.fromEntries(
      [
        ...["emptyDeletedClearing", "importClearing", "aggregateClearing", "exportClearing"],
        "failClearingTry",
      ].map((name) => [name, () => null]),
    ),
    ...answers,
  };
};

const run = (answers: Answers, script: readonly Happening[] = []) =>
  play({ flow: clearing, input, answers, script });

const completed = { status: "Completed", next: "end" };

test("takes every part as often as the state asks for it, then ends", async () => {
  const played = await run(
    looks(
      {},
      { status: "Queued", next: "import" },
      { status: "Importing", next: "import" },
      { status: "Aggregating", next: "aggregate" },
      { status: "Exporting", next: "export" },
      completed,
    ),
  );
  expect(played.output).toEqual({ status: "Completed" });
  expect(played.steps.filter((step) => step !== "readClearingState")).toEqual([
    ...["importClearing", "importClearing", "aggregateClearing", "exportClearing"],
  ]);
  expect(played.statuses).toEqual([
    "Takes over what the processor sent",
    "Sums it by affiliate",
    "Writes the affiliates' files",
    "Completed",
  ]);
});

test.each([
  ["rests", { status: "Exporting", next: "end" }, "Exporting"],
  ["failed", { status: "Failed", next: "end", feedback: "No." }, "Failed: No."],
  ["is not there", { status: "Unknown", next: "end" }, "Unknown"],
])("ends with a clearing that %s", async (_, state, sentence) => {
  const played = await run(looks({}, state));
  expect(played.output).toEqual({ status: state.status });
  expect(played.statuses).toEqual([sentence]);
});

const dueAt = "2026-11-20T09:05:00.000Z";
const waiting = { status: "Queued", next: "wait", dueAt, feedback: "Away." };

test.each([
  ["its time has come", "timePasses" as const],
  ["somebody asks", { raise: "clearingQueued" }],
])("waits for its next try until %s", async (_, happening) => {
  const played = await run(looks({}, waiting, completed), [happening]);
  expect(played.statuses[0]).toBe(`Queued: Away.; again at ${dueAt}`);
  expect(played.output).toEqual({ status: "Completed" });
});

test("notes a part that could not be done, and goes by the state again", async () => {
  let tries = 0;
  const played = await run(
    looks(
      {
        exportClearing: () => {
          tries += 1;
          throw new Error("away");
        },
      },
      { status: "Exporting", next: "export" },
      waiting,
      completed,
    ),
    ["timePasses", "timePasses", "timePasses", "timePasses"],
  );
  expect(tries).toBe(4);
  expect(played.steps.filter((step) => step === "failClearingTry")).toHaveLength(1);
  expect(played.inputs).toContainEqual({ ...input, during: "export" });
  expect(played.output).toEqual({ status: "Completed" });
});

test("gives back what deleted files had taken before all else", async () => {
  const played = await run(
    looks({}, { status: "Exporting", next: "empty" }, { status: "Exporting", next: "end" }),
  );
  expect(played.steps).toContain("emptyDeletedClearing");
});
