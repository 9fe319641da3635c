/** The end of an execution and the next one's first turn: when one write may bring both. */
import { expect, test } from "vitest";
import type { NewActivity } from "../../../local/durable/storage/change.js";
import { joinedTurns, type PlayedTurn } from "../../../local/durable/turns/joined-turns.js";
import type { OrchestrationState } from "../../../local/durable/turns/orchestration-state.js";
import { nothingOpened, turnRow, type TurnContext } from "../../../local/durable/turns/turn.js";

const activity = (taskId: number): NewActivity => ({ taskId, name: "look", input: undefined });

const contextOf = (
  executionId: string,
  turn: number,
  open: readonly number[],
  consumed: readonly number[],
): TurnContext => {
  const state: OrchestrationState = {
    id: "one",
    key: 7,
    name: "flow",
    version: undefined,
    rewinds: 0,
    parent: undefined,
    epoch: 1,
    turn,
    executionId,
    status: "Running",
    input: "1",
    history: [],
    session: undefined,
    carried: [],
    inbox: new Map(),
    ends: [],
    openActivities: new Map(open.map((id) => [id, activity(id)])),
    openTimers: new Map(),
    openChildren: new Set(),
  };
  const now = new Date(0);
  const arrivals = {
    events: [],
    consumed,
    endedActivities: [],
    endsTaken: open.length,
    firedTimers: [],
    endedChildren: [],
    latestFireAt: 0,
  };
  const functions = {
    find: (_kind: unknown, name: string) => name,
    names: () => [],
    runOrchestrator: () => Promise.resolve(),
    runActivity: () => Promise.resolve(),
    runEntity: () => Promise.resolve(),
  };
  return { state, functions, now, arrivals, nextMessageId: () => 1, defaultVersion: undefined };
};

const last = (open: readonly number[]): PlayedTurn => {
  const context = contextOf("old", 4, open, [11]);
  const row = turnRow(context, {
    status: "Running",
    executionId: "new",
    input: "2",
    customStatus: '"before"',
    clears: "execution",
  });
  return {
    context,
    turn: {
      change: { at: context.now, turn: row, consumed: [11] },
      events: [],
      opened: nothingOpened,
      cancelledTimers: [],
      next: { kind: "continued", executionId: "new", input: "2", carried: [] },
    },
  };
};

const first = (taskId: number): PlayedTurn => {
  const context = contextOf("new", 5, [], [12]);
  const row = turnRow(context, { status: "Running", events: "[]", clears: "nothing" });
  return {
    context,
    turn: {
      change: { at: context.now, turn: row, activities: [activity(taskId)], consumed: [12] },
      events: [],
      opened: nothingOpened,
      cancelledTimers: [],
      next: { kind: "open", status: "Running" },
    },
  };
};

test("one fence, the old execution cleared, the new one's events, and all that both consumed", () => {
  const joined = joinedTurns(last([1]), first(0));
  expect(joined?.turn.change).toMatchObject({
    turn: {
      key: 7,
      turn: 4,
      executionId: "new",
      input: "2",
      customStatus: '"before"',
      events: "[]",
      clears: "execution",
    },
    activities: [activity(0)],
    consumed: [11, 12],
  });
  expect(joined?.context.arrivals).toMatchObject({ consumed: [11, 12], endsTaken: 1 });
  expect(joined?.turn.startsOver).toMatchObject({ executionId: "new" });
});

test("an activity's row cannot come where one of its number goes", () => {
  expect(joinedTurns(last([0]), first(0))).toBeUndefined();
});
