/** Plays storesCompensation to each of its ends. */
import { expect, test } from "vitest";
import { storesCompensation } from "../../orchestrations/stores-compensation.flow.js";
import { play, type Answers, type Happening } from "./play.js";

const input = { reconciliationId: "01890a5d-ac96-774b-bcce-b302099a8057", partnerKey: "acme" };

/** The group's states, one for each look; the last one stays. */
const looks = (...statuses: readonly string[]): Answers => {
  let look = 0;
  return {
    readCompensation: () => {
      const status = statuses[Math.min(look, statuses.length - 1)];
      look += 1;
      return { status, silenceSeconds: 10 * look };
    },
    inquireCompensation: () => null,
  };
};
const run = (answers: Answers, script: readonly Happening[] = []) =>
  play({ flow: storesCompensation, input, answers, script });

const answered: Happening = { raise: "bankOutcome" };

test.each(["Reconciled", "Pending", "Unknown"])("ends with a group that is %s", async (status) => {
  const played = await run(looks(status));
  expect(played.output).toEqual({ status });
  expect(played.statuses).toEqual([`The group is ${status}`]);
  expect(played.steps).toEqual(["readCompensation"]);
});

test("looks again with each of the bank's words, and asks nothing of it", async () => {
  const played = await run(looks("Collecting", "Collecting", "Reconciled"), [answered, answered]);
  expect(played.output).toEqual({ status: "Reconciled" });
  expect(played.statuses[0]).toBe(
    "Collecting, waiting for the bank (until 2026-11-20T09:00:10.000Z)",
  );
  expect(played.steps).toEqual(Array.from({ length: 3 }, () => "readCompensation"));
  expect(played.lives).toBe(3);
});

test("asks the bank again each time it has been silent for as long as the look said", async () => {
  const played = await run(looks("Collecting", "Collecting", "Collecting", "Pending"), [
    "timePasses",
    "timePasses",
    answered,
  ]);
  expect(played.output).toEqual({ status: "Pending" });
  expect(played.steps).toEqual([
    ...["readCompensation", "inquireCompensation", "readCompensation", "inquireCompensation"],
    ...["readCompensation", "readCompensation"],
  ]);
  expect(played.now.toISOString()).toBe("2026-11-20T09:00:30.000Z");
});

test("waits for the next word where the group was asked for anew before it could end", async () => {
  const played = await run(looks("Collecting"), [{ raise: "storePaymentAsked" }]);
  expect(played.waitingFor).toContain("bankOutcome");
  expect(played.steps).toEqual(["readCompensation", "readCompensation"]);
});
