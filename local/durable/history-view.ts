/** The history of an instance as clients see it: text for kinds, tasks folded into their ends. */
import { eventCode, type EventName, type HistoryEvent } from "./protocol.js";

interface ViewContext {
  readonly starts: ReadonlyMap<number, HistoryEvent>;
  readonly withResults: boolean;
}
type View = (event: HistoryEvent, context: ViewContext) => object;

const names = new Map<number, EventName>();
for (const [name, code] of Object.entries(eventCode))
  if (name in eventCode) names.set(code, name as EventName);

const value = (text: string | undefined): unknown => (text === undefined ? null : JSON.parse(text));

const result = ({ Result }: HistoryEvent, { withResults }: ViewContext): object =>
  withResults ? { Result: value(Result) } : {};

/** What the event that started the task says, at the end that it is folded into. */
const start = ({ TaskScheduledId }: HistoryEvent, { starts }: ViewContext): object => {
  const event = starts.get(TaskScheduledId ?? -1);
  return { ScheduledTime: event?.Timestamp.toISOString(), FunctionName: event?.Name, Input: null };
};

const completedTask: View = (event, context) => ({
  ...result(event, context),
  ...start(event, context),
});
const failedTask: View = (event, context) => ({
  Reason: event.Reason,
  Details: event.Details,
  FailureDetails: null,
  ...start(event, context),
});
const openTask: View = ({ InstanceId, Name }) => ({
  ...(InstanceId !== undefined && { InstanceId }),
  Name,
  Input: null,
  ParentTraceContext: null,
  Tags: null,
});
const timer: View = ({ FireAt }) => ({ FireAt: FireAt?.toISOString() });
const withReason: View = ({ Reason }) => ({ Reason: Reason ?? null });

/** What each kind shows besides its name and its time; null for a kind that is not shown. */
const views: Readonly<Record<EventName, View | null>> = {
  ExecutionStarted: ({ Input, Name }) => ({
    Input: Input ?? null,
    Correlation: null,
    ParentTraceContext: null,
    ScheduledStartTime: null,
    Generation: 0,
    GenerateNewTrace: false,
    FunctionName: Name,
  }),
  ExecutionCompleted: (event, context) => ({
    OrchestrationStatus: event.OrchestrationStatus,
    ...result(event, context),
    FailureDetails: null,
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
  EventSent: ({ InstanceId, Name, Input }) => ({ InstanceId, Name, Input }),
  EventRaised: ({ Name, Input }) => ({ Name, Input: Input ?? null, ParentTraceContext: null }),
  GenericEvent: ({ Input }) => ({ Data: Input ?? null }),
  ExecutionSuspended: withReason,
  ExecutionResumed: withReason,
};

export const historyView = (history: readonly HistoryEvent[], withResults: boolean): object[] => {
  const starts = new Map<number, HistoryEvent>();
  const ended = new Set<number>();
  for (const event of history) {
    const isStart =
      event.EventType === eventCode.TaskScheduled ||
      event.EventType === eventCode.SubOrchestrationInstanceCreated;
    if (isStart) starts.set(event.EventId, event);
    if (event.TaskScheduledId !== undefined) ended.add(event.TaskScheduledId);
  }
  return history.flatMap((event) => {
    const EventType = names.get(event.EventType);
    const view = EventType === undefined ? null : views[EventType];
    const isFolded = starts.get(event.EventId) === event && ended.has(event.EventId);
    if (view === null || isFolded) return [];
    const Timestamp = event.Timestamp.toISOString();
    return [{ EventType, ...view(event, { starts, withResults }), Timestamp }];
  });
};
