/** Words of the durable protocol: history events as the library reads them, statuses, settings. */
import type { FailureDetails } from "./failure-details.js";

/** The numbers by which the library knows the kinds of history events. */
export const eventCode = {
  ExecutionStarted: 0,
  ExecutionCompleted: 1,
  ExecutionTerminated: 3,
  TaskScheduled: 4,
  TaskCompleted: 5,
  TaskFailed: 6,
  SubOrchestrationInstanceCreated: 7,
  SubOrchestrationInstanceCompleted: 8,
  SubOrchestrationInstanceFailed: 9,
  TimerCreated: 10,
  TimerFired: 11,
  OrchestratorStarted: 12,
  EventSent: 14,
  EventRaised: 15,
  GenericEvent: 17,
  ExecutionSuspended: 19,
  ExecutionResumed: 20,
} as const;

export type EventName = keyof typeof eventCode;

/** One event. The library reads the capitalised fields; `RetryOf` is for our own books. */
export interface HistoryEvent {
  EventType: number;
  /** The task's sequence number where the event starts a task, -1 elsewhere. */
  EventId: number;
  IsPlayed: boolean;
  Timestamp: Date;
  Name?: string;
  Version?: string;
  Input?: string;
  Result?: string;
  Reason?: string;
  Details?: string;
  FailureDetails?: FailureDetails;
  TaskScheduledId?: number;
  TimerId?: number;
  FireAt?: Date;
  InstanceId?: string;
  OrchestrationStatus?: string;
  /** The sequence number of the first attempt, on every later attempt and on the pauses between. */
  RetryOf?: number;
}

export type EventDetails = Omit<
  HistoryEvent,
  "EventType" | "EventId" | "IsPlayed" | "Timestamp"
> & {
  EventId?: number;
};

export const historyEvent = (
  name: EventName,
  at: Date,
  { EventId = -1, ...details }: EventDetails = {},
): HistoryEvent => ({
  EventType: eventCode[name],
  EventId,
  IsPlayed: false,
  Timestamp: at,
  ...details,
});

export type OpenStatus = "Pending" | "Running" | "Suspended";
export type FinalStatus = "Completed" | "Failed" | "Terminated";
export type RuntimeStatus = OpenStatus | FinalStatus;

export const runtimeStatuses: readonly RuntimeStatus[] = [
  "Pending",
  "Running",
  "Suspended",
  "Completed",
  "Failed",
  "Terminated",
];

export const isFinal = (status: RuntimeStatus): status is FinalStatus =>
  status === "Completed" || status === "Failed" || status === "Terminated";

/** `@name@key`, the instance id under which an entity is kept. */
export const entityInstanceId = (name: string, key: string): string =>
  `@${name.toLowerCase()}@${key}`;

export const parseEntityId = (instanceId: string): { name: string; key: string } | undefined => {
  const parts = /^@([^@]+)@(.*)$/su.exec(instanceId);
  const [, name, key] = parts ?? [];
  return name === undefined || key === undefined ? undefined : { name, key };
};

/** Longer ids serve nobody and would bloat every index. */
export const idLengthMax = 500;

/** Some prefixes mean something to the engine itself: `@` begins the ids of entities. */
export const isOrchestrationId = (id: string): boolean =>
  id.trim() !== "" && id.length <= idLengthMax && !/^@[^@]+@/u.test(id);

/** JSON text of any value that app code may hand over; undefined stays undefined. */
export const jsonText = (value: unknown): string | undefined => {
  const text: unknown = JSON.stringify(value);
  return typeof text === "string" ? text : undefined;
};

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** What a person reads when app code threw `error`, whatever that was. Never throws itself. */
export const errorMessage = (error: unknown): string => {
  if (typeof error === "string") return error;
  try {
    if (error instanceof Error) return error.message;
    return jsonText(error) ?? String(error);
  } catch {
    // A cycle, a depth beyond the stack, or something of the app's own that throws when asked.
    return "a value that has no text form.";
  }
};
