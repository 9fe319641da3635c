/** Turns what has arrived for an orchestration into the new events of its next turn. */
import { reentryId, type Failed, type Message } from "../protocol/messages.js";
import type { ActivityEnd, OrchestrationState } from "./orchestration-state.js";
import { historyEvent, type EventDetails, type HistoryEvent } from "../protocol/protocol.js";

export interface Arrivals {
  readonly events: readonly HistoryEvent[];
  /** Numbers of the messages that the turn consumes, stale ones included. */
  readonly consumed: readonly number[];
  readonly endedActivities: readonly number[];
  /** How many of the ends that lie in memory this turn has looked at. */
  readonly endsTaken: number;
  readonly firedTimers: readonly number[];
  readonly endedChildren: readonly number[];
  /** The latest moment for which a fired timer was set. */
  readonly latestFireAt: number;
}

/** What says in the history how a task failed. */
const failedTask = (taskId: number, { reason, details, failure }: Failed): EventDetails => ({
  TaskScheduledId: taskId,
  Reason: reason,
  Details: details,
  ...(failure !== undefined && { FailureDetails: failure }),
});

const activityEvent = ({ taskId, outcome }: ActivityEnd, at: Date): HistoryEvent =>
  outcome.ok
    ? historyEvent("TaskCompleted", at, { TaskScheduledId: taskId, Result: outcome.result })
    : historyEvent("TaskFailed", at, failedTask(taskId, outcome));

/** The event for a message, or undefined where its time has passed: settled, fired or cancelled. */
const messageEvent = (
  state: OrchestrationState,
  { executionId, body }: Message,
  at: Date,
): HistoryEvent | undefined => {
  if (executionId !== undefined && executionId !== state.executionId) return undefined;
  switch (body.type) {
    case "event":
      return historyEvent("EventRaised", at, {
        Name: body.name,
        ...(body.input !== undefined && { Input: body.input }),
      });
    case "locked":
      if (body.id === reentryId || body.rewinds !== state.rewinds) return undefined;
      return historyEvent("EventRaised", at, { Name: body.id, Input: "{}" });
    case "timer":
      if (!state.openTimers.has(body.taskId)) return undefined;
      return historyEvent("TimerFired", at, {
        TimerId: body.taskId,
        FireAt: new Date(body.fireAt),
      });
    case "childCompleted":
      if (!state.openChildren.has(body.taskId)) return undefined;
      return historyEvent("SubOrchestrationInstanceCompleted", at, {
        TaskScheduledId: body.taskId,
        Result: body.result,
      });
    case "childFailed":
      if (!state.openChildren.has(body.taskId)) return undefined;
      return historyEvent("SubOrchestrationInstanceFailed", at, failedTask(body.taskId, body));
    case "activityFailed":
      return historyEvent("TaskFailed", at, failedTask(body.taskId, body));
    case "resume":
      return historyEvent("ExecutionResumed", at, {
        ...(body.reason !== undefined && { Reason: body.reason }),
      });
    case "rewound":
      return historyEvent("GenericEvent", at, { Input: body.reason });
    case "operation":
    case "lock":
    case "release":
    case "suspend":
    case "terminate":
      return undefined;
  }
};

/** A turn takes so many arrivals at most: one flood must not become one endless turn. */
const arrivalsMax = 1_000;

export const arrivals = (state: OrchestrationState, at: Date): Arrivals => {
  const ends = state.ends.filter(
    ({ executionId, taskId }) =>
      executionId === state.executionId && state.openActivities.has(taskId),
  );
  const events = ends.map((end) => activityEvent(end, at));
  const inbox = [...state.inbox.values()];
  // Whoever asked for a pause before somebody asked to go on has had it.
  const lastResume = inbox.findLastIndex(({ body }) => body.type === "resume");
  const waiting = inbox
    .filter(
      ({ body }, index) =>
        body.type !== "terminate" && (body.type !== "suspend" || index < lastResume),
    )
    .slice(0, arrivalsMax);
  const firedTimers: number[] = [];
  const endedChildren: number[] = [];
  let latestFireAt = 0;
  for (const message of waiting) {
    const event = messageEvent(state, message, at);
    if (event === undefined) continue;
    events.push(event);
    const { body } = message;
    if (body.type === "timer") {
      firedTimers.push(body.taskId);
      latestFireAt = Math.max(latestFireAt, body.fireAt);
    }
    if (body.type === "childCompleted" || body.type === "childFailed")
      endedChildren.push(body.taskId);
  }
  return {
    events,
    consumed: waiting.map(({ id }) => id),
    endedActivities: ends.map(({ taskId }) => taskId),
    endsTaken: state.ends.length,
    firedTimers,
    endedChildren,
    latestFireAt,
  };
};
