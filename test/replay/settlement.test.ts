/** Plays the flows of settlement to each of their ends. */
import { describe, expect, test } from "vitest";
import { flowRun } from "../../orchestrations/flow-run.flow.js";
import {
  accountingOperation,
  harvesting,
  outgoingPayment,
} from "../../orchestrations/settlement.flow.js";
import { play, type Answers, type Happening } from "./play.js";

const input = { operationId: "01890a5d-ac96-774b-bcce-b302099a8057", partnerKey: "acme" };
const inTenSeconds = "2026-11-20T09:00:10.000Z";

interface Seen {
  readonly status: string;
  readonly dueAt?: string | null;
  readonly isBehind?: boolean;
  readonly attempts?: number;
  readonly feedback?: string | null;
}

/** Each look at the row in turn; the last one stays. */
const looks = (...seen: readonly Seen[]): Answers => {
  let look = 0;
  return {
    advanceOperation: () => {
      const at = seen[Math.min(look, seen.length - 1)];
      look += 1;
      return { dueAt: null, isBehind: false, attempts: 0, feedback: null, ...at };
    },
  };
};

const answered: Happening = { raise: "bankOutcome" };
const advanced: Happening = { raise: "settlementAdvanced" };
const requested = { status: "TransferInitializeRequested", dueAt: inTenSeconds };

describe.each([
  ["accountingOperation", accountingOperation],
  ["outgoingPayment", outgoingPayment],
  ["harvesting", harvesting],
] as const)("%s", (_, flow) => {
  const run = (answers: Answers, script: readonly Happening[] = []) =>
    play({ flow, input, answers, script });

  test.each([
    "Completed",
    "Cancelled",
    "Expired",
    "Terminated",
    "OutgoingPaymentRejected",
    "Unknown",
  ])("ends with one that is %s", async (status) => {
    const played = await run(looks({ status }));
    expect(played.output).toEqual({ status });
    expect(played.statuses).toEqual([status]);
    expect(played.steps).toEqual(["advanceOperation"]);
  });

  test("ends with a failed transfer and says why", async () => {
    const failed = { status: "TransferFailed", feedback: "MS03", attempts: 8 };
    const played = await run(looks(failed));
    expect(played.statuses).toEqual(["TransferFailed: MS03"]);
    expect(played.output).toEqual({ status: "TransferFailed" });
  });

  test("looks again with each of the bank's answers", async () => {
    const played = await run(looks(requested, requested, { status: "Completed" }), [
      answered,
      answered,
    ]);
    expect(played.output).toEqual({ status: "Completed" });
    expect(played.lives).toBe(3);
    expect(played.now.toISOString()).toBe("2026-11-20T09:00:00.000Z");
  });

  test("looks again when the bank has been silent long enough, and when the next attempt is due", async () => {
    const failed = {
      ...{ status: "TransferInitializeUnaccomplished", feedback: "BankSilent", attempts: 1 },
      dueAt: "2026-11-20T09:00:15.000Z",
    };
    const played = await run(looks(requested, failed, { status: "Completed" }), [
      "timePasses",
      "timePasses",
    ]);
    expect(played.now.toISOString()).toBe(failed.dueAt);
    expect(played.statuses).toEqual([
      `TransferInitializeRequested, waiting for the bank (until ${inTenSeconds})`,
      `TransferInitializeUnaccomplished: BankSilent, after 1 attempts; again on ${failed.dueAt}`,
      "Completed",
    ]);
  });

  test("does not wait for its time when somebody moves it", async () => {
    const later = { ...requested, dueAt: "2026-11-20T19:00:00.000Z" };
    const played = await run(looks(later, { status: "Completed" }), [advanced]);
    expect(played.now.toISOString()).toBe("2026-11-20T09:00:00.000Z");
    expect(played.output).toEqual({ status: "Completed" });
  });

  test("two answers in one moment cost a look at most", async () => {
    const played = await run(looks(requested, { status: "Completed" }), [
      { raiseTogether: ["bankOutcome", "settlementAdvanced", "bankOutcome"] },
    ]);
    expect(played.output).toEqual({ status: "Completed" });
  });
});

test("a payment is another flow's: the operation's own ends where it begins", async () => {
  const status = "OutgoingPaymentInitializeRequested";
  const played = await play({ flow: accountingOperation, input, answers: looks({ status }) });
  expect(played.output).toEqual({ status });
});

test("a harvesting that still takes members has nothing to do yet", async () => {
  const played = await play({ flow: harvesting, input, answers: looks({ status: "Confirmed" }) });
  expect(played.output).toEqual({ status: "Confirmed" });
});

describe("the members of a harvesting", () => {
  const completing = { status: "Completing", isBehind: true };

  test("are taken along page by page before it is completed", async () => {
    let left = 3;
    const answers = {
      ...looks(completing, completing, completing, { status: "Completed" }),
      followMembers: () => ({ moved: (left -= 1) > 0 ? 10_000 : 1 }),
    };
    const played = await play({ flow: harvesting, input, answers });
    expect(played.steps).toEqual([
      ...["advanceOperation", "followMembers", "advanceOperation", "followMembers"],
      ...["advanceOperation", "followMembers", "advanceOperation"],
    ]);
    expect(played.inputs[1]).toEqual(input);
    expect(played.output).toEqual({ status: "Completed" });
  });

  test("that somebody holds are waited for", async () => {
    const answers = {
      ...looks(completing, { status: "Completed" }),
      followMembers: () => ({ moved: 0 }),
    };
    const played = await play({ flow: harvesting, input, answers, script: ["timePasses"] });
    expect(played.now.toISOString()).toBe("2026-11-20T09:00:01.000Z");
    expect(played.output).toEqual({ status: "Completed" });
  });

  test("fail with it", async () => {
    const failed = { status: "TransferFailed", feedback: "MS03" };
    const answers = {
      ...looks({ ...failed, isBehind: true }, failed),
      followMembers: () => ({ moved: 1 }),
    };
    const played = await play({ flow: harvesting, input, answers });
    expect(played.steps).toEqual(["advanceOperation", "followMembers", "advanceOperation"]);
    expect(played.output).toEqual({ status: "TransferFailed" });
  });
});

test("an outage is waited out", async () => {
  let looksLeft = 3;
  const answers = {
    advanceOperation: () => {
      looksLeft -= 1;
      if (looksLeft > 0) throw new Error("the database is away");
      return { status: "Completed", dueAt: null, isBehind: false, attempts: 0, feedback: null };
    },
  };
  const played = await play({ flow: outgoingPayment, input, answers });
  expect(played.output).toEqual({ status: "Completed" });
  expect(played.error).toBeNull();
});

test("a run is worked off until it is over", async () => {
  let pages = 0;
  const run = { runId: input.operationId, partnerKey: "acme" };
  const answers = { workFlowRun: () => ({ isOver: (pages += 1) === 3 }) };
  const played = await play({ flow: flowRun, input: run, answers });
  expect(played.steps).toEqual(["workFlowRun", "workFlowRun", "workFlowRun"]);
  expect(played.lives).toBe(3);
  expect(played.output).toEqual({ status: "Over" });
});

test("a run whose items are much work pauses between its pages", async () => {
  let pages = 0;
  const run = { runId: input.operationId, partnerKey: "acme" };
  const answers = { workFlowRun: () => ({ isOver: (pages += 1) === 2, pauseMs: 1_000 }) };
  const played = await play({ flow: flowRun, input: run, answers, script: ["timePasses"] });
  expect(played.steps).toEqual(["workFlowRun", "workFlowRun"]);
  expect(played.now.toISOString()).toBe("2026-11-20T09:00:01.000Z");
  expect(played.output).toEqual({ status: "Over" });
});
