/** Takes a failed orchestration back to before its failures, so that only those are tried again. */
import { randomUUID } from "node:crypto";
import type { Pool, PoolClient } from "pg";
import { decodeEvents, encodeEvents } from "../protocol/history-codec.js";
import {
  parseMessageBody,
  reentryId,
  type Message,
  type MessageBody,
} from "../protocol/messages.js";
import { openLocks, type OpenLock } from "../protocol/open-locks.js";
import { messageColumns } from "./message-columns.js";
import { eventCode, historyEvent, type HistoryEvent } from "../protocol/protocol.js";
import { inTransaction } from "./transaction.js";

interface FailedRow {
  readonly key: string;
  readonly turn: number;
  readonly execution_id: string;
  readonly rewinds: number;
}

/** A child has ended since, and its parent, failed by then, did not hear how. */
export class LostChild extends Error {}

const isFailure = ({ EventType }: HistoryEvent): boolean =>
  EventType === eventCode.TaskFailed || EventType === eventCode.SubOrchestrationInstanceFailed;

/** The first attempts of the calls whose last attempt failed. */
const failedCalls = (history: readonly HistoryEvent[]): Set<number> => {
  const firstAttempt = new Map<number, number>();
  const failed = new Set<number>();
  for (const event of history) {
    if (event.RetryOf !== undefined) firstAttempt.set(event.EventId, event.RetryOf);
    if (event.TaskScheduledId === undefined) continue;
    const first = firstAttempt.get(event.TaskScheduledId) ?? event.TaskScheduledId;
    if (isFailure(event)) failed.add(first);
    else failed.delete(first);
  }
  return failed;
};

/** The tasks of one kind that the history starts and does not end. */
const openTasks = (
  history: readonly HistoryEvent[],
  kind: "TaskScheduled" | "SubOrchestrationInstanceCreated" | "TimerCreated",
): HistoryEvent[] => {
  const ended = new Set(
    history.map(({ TaskScheduledId, TimerId }) =>
      kind === "TimerCreated" ? TimerId : TaskScheduledId,
    ),
  );
  return history.filter(
    ({ EventType, EventId }) => EventType === eventCode[kind] && !ended.has(EventId),
  );
};

interface Rewound {
  /** Generic events stand where the failures stood. */
  readonly history: HistoryEvent[];
  /** The beginnings of children that failed; they are rewound themselves and then report to their parent. */
  readonly children: HistoryEvent[];
}

/** A child that cannot report any more is begun again. */
const rewindHistory = (
  history: readonly HistoryEvent[],
  canReport: (child: HistoryEvent) => boolean,
): Rewound => {
  const calls = failedCalls(history);
  // Their work was given up when the orchestration failed: the code asks for it again.
  const dropped = new Set(openTasks(history, "TaskScheduled").map(({ EventId }) => EventId));
  const children: HistoryEvent[] = [];
  for (const event of history) {
    const first = event.RetryOf ?? event.EventId;
    if (first === -1 || !calls.has(first)) continue;
    const isOnlyChild =
      event.EventType === eventCode.SubOrchestrationInstanceCreated &&
      !history.some(({ RetryOf }) => RetryOf === first);
    if (isOnlyChild && canReport(event)) children.push(event);
    else dropped.add(event.EventId);
  }
  const isKept = (event: HistoryEvent): boolean => {
    if (event.EventType === eventCode.ExecutionCompleted) return false;
    if (isFailure(event) && !dropped.has(event.TaskScheduledId ?? -1))
      return !calls.has(event.TaskScheduledId ?? -1);
    return ![event.EventId, event.TaskScheduledId, event.TimerId].some(
      (id) => id !== undefined && dropped.has(id),
    );
  };
  const rewound = history.map((event) =>
    isKept(event) ? event : historyEvent("GenericEvent", event.Timestamp),
  );
  return { history: rewound, children };
};

export interface RewindRequest {
  readonly hub: string;
  readonly id: string;
  readonly reason: string;
  readonly nextMessageId: () => number;
}

const send = async (client: PoolClient, hub: string, message: Message): Promise<void> => {
  const row = messageColumns(message);
  await client.query(
    `insert into durable.message
       (id, hub, instance_id, execution_id, due_at, type, asker_execution, body)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      row.id,
      hub,
      row.instanceId,
      row.executionId,
      row.dueAt,
      row.type,
      row.askerExecution,
      row.body,
    ],
  );
};

/** Sets the timers again that were given up. One that the code has cancelled is cancelled again. */
const setTimers = async (
  client: PoolClient,
  { hub, id, nextMessageId }: RewindRequest,
  executionId: string,
  timers: readonly HistoryEvent[],
): Promise<void> => {
  for (const { EventId: taskId, FireAt } of timers) {
    const fireAt = FireAt?.getTime() ?? 0;
    const body: MessageBody = { type: "timer", taskId, fireAt };
    await send(client, hub, { id: nextMessageId(), target: id, executionId, dueAt: fireAt, body });
  }
};

/** What has become of the children of one execution, by the numbers of their tasks. */
interface Children {
  readonly open: ReadonlySet<number>;
  readonly failed: ReadonlySet<number>;
  /** The numbers of the messages in which they told how they ended, and which their parent has not read. */
  readonly told: ReadonlyMap<number, number>;
}

const childrenOf = async (
  client: PoolClient,
  { hub, id }: RewindRequest,
  { execution_id: executionId }: FailedRow,
): Promise<Children> => {
  const { rows } = await client.query<{ task: number; status: string; open: boolean }>(
    `select parent_task_id as task, status, completed_at is null as open from durable.instance
     where hub = $1 and parent_id = $2 and parent_execution_id = $3`,
    [hub, id, executionId],
  );
  const tasks = (are: readonly { readonly task: number }[]): Set<number> =>
    new Set(are.map(({ task }) => task));
  const { rows: unread } = await client.query<{ id: string; body: string }>(
    `select id, body from durable.message where hub = $1 and instance_id = $2
       and execution_id = $3 and type in ('childCompleted', 'childFailed')`,
    [hub, id, executionId],
  );
  const told = new Map<number, number>();
  for (const message of unread) {
    const body = parseMessageBody(message.body);
    if ("taskId" in body) told.set(body.taskId, Number(message.id));
  }
  return {
    open: tasks(rows.filter(({ open }) => open)),
    failed: tasks(rows.filter(({ status }) => status === "Failed")),
    told,
  };
};

/**
 * Asks anew for the locks that were given back when the orchestration failed. What it held, it must have
 * before it goes on; what it had only asked for, its code waits for. Resolves to the entities asked.
 */
const askForLocks = async (
  client: PoolClient,
  { hub, id, nextMessageId }: RewindRequest,
  { key, execution_id: parentExecution, rewinds }: FailedRow,
  locks: readonly OpenLock[],
): Promise<string[]> => {
  for (const { id: requestId, entities, isGranted } of locks) {
    const target = entities[0] ?? "";
    await client.query(
      `insert into durable.instance
         (hub, id, kind, execution_id, name, status, created_at, updated_at)
       values ($1, $2, 'entity', $3, $2, 'Running', now(), now()) on conflict do nothing`,
      [hub, target, randomUUID().replaceAll("-", "")],
    );
    const body: MessageBody = {
      type: "lock",
      id: isGranted ? reentryId : requestId,
      parent: id,
      parentExecution,
      lockSet: [...entities],
      position: 0,
      rewinds,
    };
    await send(client, hub, { id: nextMessageId(), target, body });
    if (isGranted)
      await client.query("update durable.instance set status = 'Pending' where key = $1", [key]);
  }
  return locks.flatMap(({ entities }) => entities.slice(0, 1));
};

/** Resolves to the ids of all that go on again: the instance, its failed children, entities asked for locks. */
const rewindOne = async (client: PoolClient, request: RewindRequest): Promise<string[]> => {
  const { hub, id, reason } = request;
  const { rows } = await client.query<FailedRow>(
    `update durable.instance set status = 'Running', output = null, completed_at = null,
       epoch = epoch + 1, turn = turn + 1, rewinds = rewinds + 1
     where hub = $1 and id = $2 and status = 'Failed' returning key, turn, execution_id, rewinds`,
    [hub, id],
  );
  const [row] = rows;
  if (row === undefined) return [];
  const { rows: turns } = await client.query<{ events: string }>(
    `with gone as (delete from durable.history where key = $1 returning turn, events)
     select events from gone order by turn`,
    [row.key],
  );
  const { open, failed, told } = await childrenOf(client, request, row);
  const { history, children } = rewindHistory(
    turns.flatMap(({ events }) => decodeEvents(events)),
    ({ EventId }) => open.has(EventId) || failed.has(EventId) || told.has(EventId),
  );
  const isLost = (child: HistoryEvent): boolean =>
    !open.has(child.EventId) && !told.has(child.EventId) && !children.includes(child);
  if (openTasks(history, "SubOrchestrationInstanceCreated").some(isLost)) throw new LostChild(id);
  await setTimers(client, request, row.execution_id, openTasks(history, "TimerCreated"));
  await client.query("insert into durable.history (key, turn, events) values ($1, $2, $3)", [
    row.key,
    row.turn - 1,
    encodeEvents(history),
  ]);
  const body: MessageBody = { type: "rewound", reason };
  await send(client, hub, { id: request.nextMessageId(), target: id, body });
  const ids = [id, ...(await askForLocks(client, request, row, openLocks(history)))];
  for (const { InstanceId = "", EventId } of children) {
    if (!failed.has(EventId)) continue;
    ids.push(...(await rewindOne(client, { ...request, id: InstanceId })));
    // What it told is not how it will end.
    await client.query("delete from durable.message where id = $1", [told.get(EventId)]);
  }
  return ids;
};

export const rewind = async (pool: Pool, request: RewindRequest): Promise<string[]> =>
  inTransaction(pool, async (client) => rewindOne(client, request));
