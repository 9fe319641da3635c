/** An open orchestration as its owner keeps it in memory. */
import { decodeEvents } from "../protocol/history-codec.js";
import type { StoredActivity, StoredInstance } from "../storage/instance-rows.js";
import { reentryId, type Failed, type Message } from "../protocol/messages.js";
import { eventCode, type HistoryEvent, type OpenStatus } from "../protocol/protocol.js";
import type { Session } from "../replay/session.js";

/** The end of an activity; it is stored with the turn that it leads to, never alone. */
export interface ActivityEnd {
  readonly taskId: number;
  readonly executionId: string;
  readonly outcome:
    | { readonly ok: true; readonly result: string }
    | ({
        readonly ok: false;
        /** Type and message of what was thrown, for the log. */
        readonly error: string;
      } & Failed);
}

export interface OrchestrationState {
  readonly id: string;
  readonly key: number;
  readonly name: string;
  readonly version: string | undefined;
  /** The trace of whoever started it. */
  readonly traceParent?: string | undefined;
  /** How often it has been rewound in its life. */
  readonly rewinds: number;
  readonly parent:
    { readonly id: string; readonly executionId: string; readonly taskId: number } | undefined;
  epoch: number;
  turn: number;
  executionId: string;
  status: OpenStatus;
  input: string | undefined;
  history: HistoryEvent[];
  /** The code where it waits; absent where it has to be replayed first. */
  session: Session | undefined;
  /** Raised events that this execution inherits from the one before. */
  carried: readonly HistoryEvent[];
  /** Messages that are due and not yet consumed, by number, in the order of their arrival. */
  readonly inbox: Map<number, Message>;
  readonly ends: ActivityEnd[];
  readonly openActivities: Map<number, StoredActivity>;
  /** The numbers of the messages by which open timers will fire, by task. */
  readonly openTimers: Map<number, number>;
  readonly openChildren: Set<number>;
}

/** Child orchestrations that the history started and that have not ended. */
const openChildrenOf = (history: readonly HistoryEvent[]): Set<number> => {
  const open = new Set<number>();
  for (const event of history)
    if (event.EventType === eventCode.SubOrchestrationInstanceCreated) open.add(event.EventId);
    else if (
      event.EventType === eventCode.SubOrchestrationInstanceCompleted ||
      event.EventType === eventCode.SubOrchestrationInstanceFailed
    )
      open.delete(event.TaskScheduledId ?? -1);
  return open;
};

const openStatus = (status: string): OpenStatus =>
  status === "Pending" || status === "Suspended" ? status : "Running";

export const orchestrationState = (stored: StoredInstance, nowMs: number): OrchestrationState => {
  const { row, history, activities, messages } = stored;
  const openTimers = new Map<number, number>();
  for (const { id, executionId, body } of messages)
    if (body.type === "timer" && executionId === row.execution_id) openTimers.set(body.taskId, id);
  return {
    id: row.id,
    key: Number(row.key),
    name: row.name,
    version: row.version ?? undefined,
    traceParent: row.trace_parent ?? undefined,
    rewinds: row.rewinds,
    parent:
      row.parent_id === null
        ? undefined
        : {
            id: row.parent_id,
            executionId: row.parent_execution_id ?? "",
            taskId: row.parent_task_id ?? -1,
          },
    epoch: Number(row.epoch),
    turn: row.turn,
    executionId: row.execution_id,
    status: openStatus(row.status),
    input: row.input ?? undefined,
    history,
    session: undefined,
    carried: row.carried === null ? [] : decodeEvents(row.carried),
    inbox: new Map(
      messages.filter(({ dueAt }) => (dueAt ?? 0) <= nowMs).map((message) => [message.id, message]),
    ),
    ends: [],
    openActivities: new Map(activities.map((activity) => [activity.taskId, activity])),
    openTimers,
    openChildren: openChildrenOf(history),
  };
};

/**
 * True for one that was rewound inside a critical section and has not got its locks back. It is pending
 * again, as one that has not begun is, and takes no turn.
 */
export const isLockedOut = ({ status, history, inbox, rewinds }: OrchestrationState): boolean =>
  status === "Pending" &&
  history.length > 0 &&
  ![...inbox.values()].some(
    ({ body }) => body.type === "locked" && body.id === reentryId && body.rewinds === rewinds,
  );
