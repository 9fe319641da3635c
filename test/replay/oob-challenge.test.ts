/** Plays the flow of a challenge out of band to each of its ends. */
import { expect, test } from "vitest";
import { oobChallenge } from "../../orchestrations/oob-challenge.flow.js";
import { play, type Answers, type Happening } from "./play.js";

const input = { threeDsId: "0190a6b0-5a51-7000-8000-00000000000d" };
const expiresAt = "2026-11-20T09:05:00.000Z";

/** The challenge's row, as small as a test needs it. */
const world = (status = "OobRaised") => {
  const row = { status, expiresAt };
  const answers: Answers = {
    readChallenge: () => ({ ...row }),
    timeOutChallenge: () => {
      row.status = "TimedOut";
      return null;
    },
  };
  return { row, answers };
};

const run = (answers: Answers, script: readonly Happening[] = []) =>
  play({ flow: oobChallenge, input, answers, script });

test("a challenge that nobody answers times out at its time, once", async () => {
  const played = await run(world().answers, ["timePasses"]);
  expect(played.steps).toEqual([
    "readChallenge",
    "readChallenge",
    "timeOutChallenge",
    "readChallenge",
  ]);
  expect(played.inputs[2]).toEqual(input);
  expect(played.now.toISOString()).toBe(expiresAt);
  expect(played.output).toEqual({ status: "TimedOut" });
});

test.each(["Authenticated", "NotAuthenticated", "DeviceListed"])(
  "a challenge that is %s meanwhile ends it, and times nothing out",
  async (status) => {
    const { row, answers } = world();
    let reads = 0;
    const read = () => {
      reads += 1;
      if (reads === 2) row.status = status;
      return { ...row };
    };
    const script = [{ raise: "challengeChanged" }];
    const played = await run({ ...answers, readChallenge: read }, script);
    expect(played.steps).toEqual(["readChallenge", "readChallenge"]);
    expect(played.output).toEqual({ status });
  },
);

test("a challenge that moved to another device has the time of that", async () => {
  const { row, answers } = world();
  let reads = 0;
  const read = () => {
    reads += 1;
    if (reads === 2) row.expiresAt = "2026-11-20T09:08:00.000Z";
    return { ...row };
  };
  const script: Happening[] = [{ raise: "challengeChanged" }, "timePasses"];
  const played = await run({ ...answers, readChallenge: read }, script);
  expect(played.now.toISOString()).toBe("2026-11-20T09:08:00.000Z");
  expect(played.output).toEqual({ status: "TimedOut" });
});

test("an event that tells nothing new leaves it waiting", async () => {
  const played = await run(world().answers, [{ raise: "challengeChanged" }]);
  expect(played.waitingFor).toEqual(["challengeChanged"]);
  expect(played.steps).not.toContain("timeOutChallenge");
});

test.each(["TimedOut", "Authenticated", "Unknown"])("one that is %s ends it", async (status) => {
  const played = await run(world(status).answers);
  expect(played.steps).toEqual(["readChallenge"]);
  expect(played.output).toEqual({ status });
});

test("an outage of the database is waited out", async () => {
  const { answers } = world();
  let attempts = 0;
  const flaky = (of: unknown, now: Date) => {
    attempts += 1;
    if (attempts < 3) throw new Error("connection refused");
    return answers["timeOutChallenge"]?.(of, now);
  };
  const played = await run({ ...answers, timeOutChallenge: flaky }, ["timePasses"]);
  expect(attempts).toBe(3);
  expect(played.output).toEqual({ status: "TimedOut" });
});
