/** The history of an instance as clients see it: text for kinds, tasks folded into their ends. */
import { eventCode, type EventName, type HistoryEvent } from "./protocol.js";

const names = new Map<number, EventName>();
for (const [name, code] of Object.entries(eventCode))
  if (name in eventCode) names.set(code, name as EventName);

const value = (text: string | undefined): unknown => (text === undefined ? null : JSON.parse(text));

/** The event that started the task which `event` ends. */
const startOf = (
  { TaskScheduledId }: HistoryEvent,
  starts: ReadonlyMap<number, HistoryEvent>,
): object => {
  const start = starts.get(TaskScheduledId ?? -1);
  return {
    ScheduledTime: start?.Timestamp.toISOString(),
    FunctionName: start?.Name,
    Input: null,
  };
};

const view = (
  event: HistoryEvent,
  starts: ReadonlyMap<number, HistoryEvent>,
  withResults: boolean,
): object | undefined => {
  const EventType = names.get(event.EventType);
  const Timestamp = event.Timestamp.toISOString();
  const Result = withResults ? { Result: value(event.Result) } : {};
  switch (EventType) {
    case "ExecutionStarted":
      return {
        EventType,
        Input: event.Input ?? null,
        Correlation: null,
        ParentTraceContext: null,
        ScheduledStartTime: null,
        Generation: 0,
        GenerateNewTrace: false,
        Timestamp,
        FunctionName: event.Name,
      };
    case "TaskCompleted":
    case "SubOrchestrationInstanceCompleted":
      return { EventType, ...Result, Timestamp, ...startOf(event, starts) };
    case "TaskFailed":
    case "SubOrchestrationInstanceFailed": {
      const { Reason, Details } = event;
      return {
        EventType,
        Reason,
        Details,
        FailureDetails: null,
        Timestamp,
        ...startOf(event, starts),
      };
    }
    case "TaskScheduled":
    case "SubOrchestrationInstanceCreated": {
      const more = event.InstanceId === undefined ? {} : { InstanceId: event.InstanceId };
      const base = { EventType, ...more, Name: event.Name, Input: null };
      return { ...base, ParentTraceContext: null, Tags: null, Timestamp };
    }
    case "TimerCreated":
    case "TimerFired":
      return { EventType, FireAt: event.FireAt?.toISOString(), Timestamp };
    case "EventRaised":
      return {
        EventType,
        Name: event.Name,
        Input: event.Input ?? null,
        ParentTraceContext: null,
        Timestamp,
      };
    case "EventSent":
      return {
        EventType,
        InstanceId: event.InstanceId,
        Name: event.Name,
        Input: event.Input,
        Timestamp,
      };
    case "ExecutionSuspended":
    case "ExecutionResumed":
      return { EventType, Reason: event.Reason ?? null, Timestamp };
    case "ExecutionTerminated":
      return { EventType, Input: event.Input ?? null, Timestamp };
    case "GenericEvent":
      return { Data: event.Input ?? null, EventType, Timestamp };
    case "ExecutionCompleted":
      return {
        EventType,
        OrchestrationStatus: event.OrchestrationStatus,
        ...Result,
        FailureDetails: null,
        Timestamp,
      };
    case "OrchestratorStarted":
    case undefined:
      return undefined;
  }
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
  return history
    .filter((event) => !(starts.get(event.EventId) === event && ended.has(event.EventId)))
    .flatMap((event) => view(event, starts, withResults) ?? []);
};
