/** Takes a failed orchestration back to before its failures, so that only those are tried again. */
import type { Pool, PoolClient } from "pg";
import { decodeEvents, encodeEvents } from "./history-codec.js";
import type { MessageBody } from "./messages.js";
import { eventCode, historyEvent, type HistoryEvent } from "./protocol.js";
import { inTransaction } from "./transaction.js";

interface FailedRow {
  readonly key: string;
  readonly turn: number;
}

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

export interface Rewound {
  /** Generic events stand where the failures stood. */
  readonly history: HistoryEvent[];
  /** Children that failed; they are rewound themselves and then report to their parent. */
  readonly children: string[];
}

export const rewindHistory = (history: readonly HistoryEvent[]): Rewound => {
  const calls = failedCalls(history);
  const dropped = new Set<number>();
  const children: string[] = [];
  for (const event of history) {
    const first = event.RetryOf ?? event.EventId;
    if (first === -1 || !calls.has(first)) continue;
    const isOnlyChild =
      event.EventType === eventCode.SubOrchestrationInstanceCreated &&
      !history.some(({ RetryOf }) => RetryOf === first);
    if (isOnlyChild) children.push(event.InstanceId ?? "");
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

/** Resolves to the ids of all that go on again: the instance, and its failed children. */
const rewindOne = async (client: PoolClient, request: RewindRequest): Promise<string[]> => {
  const { hub, id, reason } = request;
  const { rows } = await client.query<FailedRow>(
    `update durable.instance set status = 'Running', output = null, completed_at = null,
       epoch = epoch + 1, turn = turn + 1
     where hub = $1 and id = $2 and status = 'Failed' returning key, turn`,
    [hub, id],
  );
  const [row] = rows;
  if (row === undefined) return [];
  const { rows: turns } = await client.query<{ events: string }>(
    `with gone as (delete from durable.history where key = $1 returning turn, events)
     select events from gone order by turn`,
    [row.key],
  );
  const rewound = rewindHistory(turns.flatMap(({ events }) => decodeEvents(events)));
  await client.query("insert into durable.history (key, turn, events) values ($1, $2, $3)", [
    row.key,
    row.turn - 1,
    encodeEvents(rewound.history),
  ]);
  const body: MessageBody = { type: "rewound", reason };
  await client.query(
    "insert into durable.message (id, hub, instance_id, body) values ($1, $2, $3, $4)",
    [request.nextMessageId(), hub, id, JSON.stringify(body)],
  );
  const ids = [id];
  for (const child of rewound.children)
    ids.push(...(await rewindOne(client, { ...request, id: child })));
  return ids;
};

export const rewind = async (pool: Pool, request: RewindRequest): Promise<string[]> =>
  inTransaction(pool, async (client) => rewindOne(client, request));
