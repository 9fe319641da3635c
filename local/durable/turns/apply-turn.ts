/** Brings an orchestration in memory to where a turn, once written, has brought it on disk. */
import type { OrchestrationState } from "./orchestration-state.js";
import type { Arrivals } from "./turn-events.js";
import type { Continued, Turn } from "./turn.js";

const startOver = (state: OrchestrationState, { executionId, input, carried }: Continued): void => {
  state.executionId = executionId;
  state.input = input;
  state.carried = carried;
  state.history = [];
  state.session = undefined;
  state.status = "Running";
  state.openActivities.clear();
  state.openTimers.clear();
  state.openChildren.clear();
};

const settle = (state: OrchestrationState, turn: Turn, taken: Arrivals): void => {
  state.carried = [];
  for (const id of taken.endedActivities) state.openActivities.delete(id);
  for (const id of [...taken.firedTimers, ...turn.cancelledTimers]) state.openTimers.delete(id);
  for (const id of taken.endedChildren) state.openChildren.delete(id);
  for (const [id, message] of turn.opened.timers) state.openTimers.set(id, message);
  for (const id of turn.opened.children) state.openChildren.add(id);
  for (const activity of turn.change.activities ?? [])
    state.openActivities.set(activity.taskId, activity);
};

export const applyTurn = (state: OrchestrationState, turn: Turn, taken: Arrivals): void => {
  const { next } = turn;
  state.turn++;
  state.ends.splice(0, taken.endsTaken);
  for (const id of taken.consumed) state.inbox.delete(id);
  if (turn.startsOver !== undefined) startOver(state, turn.startsOver);
  if (next.kind === "ended") return;
  if (next.kind === "continued") {
    startOver(state, next);
    return;
  }
  state.status = next.status;
  for (const event of turn.events) {
    event.IsPlayed = true;
    state.history.push(event);
  }
  if (next.status === "Suspended") return;
  state.session = next.session;
  settle(state, turn, taken);
};
