/** Plays the flow of an operation group to each of its ends. */
import { expect, test } from "vitest";
import { operationGroup } from "../../orchestrations/operation-group.flow.js";
import { play, type Answers, type Happening } from "./play.js";

const input = { operationGroupId: "0190a6b0-5a51-7000-8000-00000000000c" };
const expiresAt = "2026-11-21T09:30:00.000Z";

/** The group's row, as small as a test needs it. */
const world = (status = "Initialized") => {
  const row = { status, expiresAt };
  const answers: Answers = {
    readOperationGroup: () => ({ ...row }),
    expireOperationGroup: () => {
      row.status = "Expired";
      return null;
    },
  };
  return { row, answers };
};

const run = (answers: Answers, script: readonly Happening[] = []) =>
  play({ flow: operationGroup, input, answers, script });

test("a group that nobody confirms expires at its time, once", async () => {
  const played = await run(world().answers, ["timePasses"]);
  expect(played.steps).toEqual([
    "readOperationGroup",
    "readOperationGroup",
    "expireOperationGroup",
    "readOperationGroup",
  ]);
  expect(played.inputs[2]).toEqual(input);
  expect(played.now.toISOString()).toBe(expiresAt);
  expect(played.statuses).toEqual([`Pending until ${expiresAt}`, "The group is over: Expired"]);
  expect(played.output).toEqual({ status: "Expired" });
});

test.each(["Confirmed", "Cancelled", "Terminated"])(
  "a group that is %s meanwhile ends it, and expires nothing",
  async (status) => {
    const { row, answers } = world();
    let reads = 0;
    const read = () => {
      reads += 1;
      if (reads === 2) row.status = status;
      return { ...row };
    };
    const played = await run({ ...answers, readOperationGroup: read }, [{ raise: "groupEnded" }]);
    expect(played.steps).toEqual(["readOperationGroup", "readOperationGroup"]);
    expect(played.output).toEqual({ status });
  },
);

test("an event that tells nothing new leaves it waiting", async () => {
  const played = await run(world().answers, [{ raise: "groupEnded" }]);
  expect(played.waitingFor).toEqual(["groupEnded"]);
  expect(played.steps).not.toContain("expireOperationGroup");
});

test.each(["Expired", "Confirmed", "Unknown"])("a group that is %s ends it", async (status) => {
  const played = await run(world(status).answers);
  expect(played.steps).toEqual(["readOperationGroup"]);
  expect(played.output).toEqual({ status });
});

test("an outage of the database is waited out", async () => {
  const { answers } = world();
  let attempts = 0;
  const flaky = (of: unknown, now: Date) => {
    attempts += 1;
    if (attempts < 3) throw new Error("connection refused");
    return answers["expireOperationGroup"]?.(of, now);
  };
  const played = await run({ ...answers, expireOperationGroup: flaky }, ["timePasses"]);
  expect(attempts).toBe(3);
  expect(played.output).toEqual({ status: "Expired" });
});
