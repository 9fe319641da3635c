/** The history of an instance as clients see it: text for kinds, tasks folded into their ends. */
import { EntityMessageView } from "./entity-message-view.js";
import { preciseDate } from "./precise-date.js";
import type { InstanceRow } from "../storage/instance-rows.js";
import { eventCode, type EventName, type HistoryEvent } from "../protocol/protocol.js";
import { storedJson } from "./json-text.js";

interface ViewContext {
  readonly generation: number | null;
  readonly entityMessages: EntityMessageView;
  readonly starts: ReadonlyMap<number, HistoryEvent>;
  readonly withResults: boolean;
}
type View = (event: HistoryEvent, context: ViewContext) => object;

const names = new Map<number, EventName>();
for (const [name, code] of Object.entries(eventCode))
  if (name in eventCode) names.set(code, name as EventName);

const result = ({ Result }: HistoryEvent, { withResults }: ViewContext): object =>
  withResults ? { Result: storedJson(Result) } : {};

/** What the event that started the task says, at the end that it is folded into. */
const start = ({ TaskScheduledId }: HistoryEvent, { starts }: ViewContext): object => {
  const event = starts.get(TaskScheduledId ?? -1);
  const ScheduledTime = event && preciseDate(event.Timestamp);
  return { ScheduledTime, FunctionName: event?.Name, Input: null };
};

const completedTask: View = (event, context) => ({
  ...result(event, context),
  ...start(event, context),
});
const failedTask: View = (event, context) => ({
  Reason: event.Reason,
  Details: event.Details,
  FailureDetails: event.FailureDetails ?? null,
  ...start(event, context),
});
const openTask: View = ({ InstanceId, Name }) => ({
  ...(InstanceId !== undefined && { InstanceId }),
  Name,
  Input: null,
  ParentTraceContext: null,
  Tags: null,
});
const timer: View = ({ FireAt }) => ({ FireAt: FireAt && preciseDate(FireAt) });
const withReason: View = ({ Reason }) => ({ Reason: Reason ?? null });

/** What each kind shows besides its name and its time; null for a kind that is not shown. */
const views: Readonly<Record<EventName, View | null>> = {
  ExecutionStarted: ({ Input, Name }, { generation }) => ({
    Input: Input ?? null,
    Correlation: null,
    ParentTraceContext: null,
    ScheduledStartTime: null,
    Generation: generation,
    GenerateNewTrace: false,
    FunctionName: Name,
  }),
  ExecutionCompleted: (event, context) => ({
    OrchestrationStatus: event.OrchestrationStatus,
    ...result(event, context),
    FailureDetails: event.FailureDetails ?? null,
  }),
  ExecutionTerminated: ({ Input }) => ({ Input: Input ?? null }),
  TaskScheduled: openTask,
  TaskCompleted: completedTask,
  TaskFailed: failedTask,
  SubOrchestrationInstanceCreated: openTask,
  SubOrchestrationInstanceCompleted: completedTask,
  SubOrchestrationInstanceFailed: failedTask,
  TimerCreated: timer,
  TimerFired: timer,
  OrchestratorStarted: null,
  EventSent: (event, { entityMessages }) => ({
    InstanceId: event.InstanceId,
    Name: event.Name,
    Input: entityMessages.sent(event),
  }),
  EventRaised: (event, { entityMessages }) => ({
    Name: event.Name,
    Input: entityMessages.raised(event),
    ParentTraceContext: null,
  }),
  GenericEvent: ({ Input }) => ({ Data: Input ?? null }),
  ExecutionSuspended: withReason,
  ExecutionResumed: withReason,
};

/** What a history of the service says; `history` holds what has happened to the instance so far. */
export const historyView = (
  row: InstanceRow,
  history: readonly HistoryEvent[],
  withResults: boolean,
): object[] => {
  const starts = new Map<number, HistoryEvent>();
  const ended = new Set<number>();
  for (const event of history) {
    const isStart =
      event.EventType === eventCode.TaskScheduled ||
      event.EventType === eventCode.SubOrchestrationInstanceCreated;
    if (isStart) starts.set(event.EventId, event);
    if (event.TaskScheduledId !== undefined) ended.add(event.TaskScheduledId);
  }
  const entityMessages = new EntityMessageView(row.id, row.execution_id);
  const context = { generation: row.generation, entityMessages, starts, withResults };
  return history.flatMap((event) => {
    const EventType = names.get(event.EventType);
    const view = EventType === undefined ? null : views[EventType];
    const isFolded = starts.get(event.EventId) === event && ended.has(event.EventId);
    if (view === null || isFolded) return [];
    const Timestamp = preciseDate(event.Timestamp);
    return [{ EventType, ...view(event, context), Timestamp }];
  });
};
