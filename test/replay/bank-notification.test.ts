/** Plays bankNotification to each of its ends. */
import { expect, test } from "vitest";
import { bankNotification } from "../../orchestrations/bank-notification.flow.js";
import { play, type Answers, type Happening } from "./play.js";

const input = { bankNotificationId: "01890a5d-ac96-774b-bcce-b302099a8057", partnerKey: "acme" };
const later = "2026-11-20T09:00:10.000Z";

/** The notification's states, one for each look; the last one stays. */
const looks = (
  ...states: readonly (readonly [status: string, dueAt: string | null])[]
): Answers => {
  let look = 0;
  return {
    advanceNotification: () => {
      const [status, dueAt] = states[Math.min(look, states.length - 1)] ?? ["Unknown", null];
      look += 1;
      return { status, feedback: status === "Received" ? "Wallet: suspended" : null, dueAt };
    },
  };
};
const run = (answers: Answers, script: readonly Happening[] = []) =>
  play({ flow: bankNotification, input, answers, script });

test.each([
  ["Consumed", "Consumed"],
  ["Received", "Received: Wallet: suspended"],
  ["Rejected", "Rejected"],
  ["Failed", "Failed"],
  ["Unknown", "Unknown"],
])("ends with one that is %s and waits for nothing", async (status, said) => {
  const played = await run(looks([status, null]));
  expect(played.output).toEqual({ status });
  expect(played.statuses).toEqual([said]);
  expect(played.steps).toEqual(["advanceNotification"]);
});

test.each<[string, Happening]>([
  ["at its time", "timePasses"],
  ["when somebody has moved it", { raise: "notificationAdvanced" }],
])("looks again at one whose processing failed %s", async (_, happening) => {
  const played = await run(looks(["Accepted", later], ["Consumed", null]), [happening]);
  expect(played.output).toEqual({ status: "Consumed" });
  expect(played.statuses[0]).toBe(`Accepted, again on ${later}`);
  expect(played.lives).toBe(2);
});

test("waits for the bank to send money back, and looks again after its silence and its word", async () => {
  const waiting = ["RejectionRequested", later] as const;
  const played = await run(looks(waiting, waiting, ["Rejected", null]), [
    "timePasses",
    { raise: "bankOutcome" },
  ]);
  expect(played.output).toEqual({ status: "Rejected" });
  expect(played.statuses[0]).toBe(`RejectionRequested, waiting for the bank (until ${later})`);
});
