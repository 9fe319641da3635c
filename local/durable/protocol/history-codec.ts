/**
 * The compact text form of history events: one JSON array per turn, short keys, times as numbers.
 * An event of the same moment as the one before it, as nearly all in a turn are, leaves its time out.
 */
import { z } from "zod";
import { FailureDetails } from "./failure-details.js";
import type { HistoryEvent } from "./protocol.js";

const text = z.string().optional();
const number = z.number().optional();

const StoredEvent = z.object({
  t: z.number(),
  i: number,
  at: number,
  n: text,
  v: text,
  in: text,
  out: text,
  why: text,
  how: text,
  fail: FailureDetails.optional(),
  task: number,
  timer: number,
  due: number,
  to: text,
  end: text,
  try: number,
});
type StoredEvent = z.infer<typeof StoredEvent>;
const StoredEvents = z.array(StoredEvent);

const store = (event: HistoryEvent, before: HistoryEvent | undefined): StoredEvent => ({
  t: event.EventType,
  i: event.EventId === -1 ? undefined : event.EventId,
  at:
    event.Timestamp.getTime() === before?.Timestamp.getTime()
      ? undefined
      : event.Timestamp.getTime(),
  n: event.Name,
  v: event.Version,
  in: event.Input,
  out: event.Result,
  why: event.Reason,
  how: event.Details,
  fail: event.FailureDetails,
  task: event.TaskScheduledId,
  timer: event.TimerId,
  due: event.FireAt?.getTime(),
  to: event.InstanceId,
  end: event.OrchestrationStatus,
  try: event.RetryOf,
});

const restore = (stored: StoredEvent, at: number): HistoryEvent => ({
  EventType: stored.t,
  EventId: stored.i ?? -1,
  IsPlayed: true,
  Timestamp: new Date(at),
  ...(stored.n !== undefined && { Name: stored.n }),
  ...(stored.v !== undefined && { Version: stored.v }),
  ...(stored.in !== undefined && { Input: stored.in }),
  ...(stored.out !== undefined && { Result: stored.out }),
  ...(stored.why !== undefined && { Reason: stored.why }),
  ...(stored.how !== undefined && { Details: stored.how }),
  ...(stored.fail !== undefined && { FailureDetails: stored.fail }),
  ...(stored.task !== undefined && { TaskScheduledId: stored.task }),
  ...(stored.timer !== undefined && { TimerId: stored.timer }),
  ...(stored.due !== undefined && { FireAt: new Date(stored.due) }),
  ...(stored.to !== undefined && { InstanceId: stored.to }),
  ...(stored.end !== undefined && { OrchestrationStatus: stored.end }),
  ...(stored.try !== undefined && { RetryOf: stored.try }),
});

export const encodeEvents = (events: readonly HistoryEvent[]): string =>
  JSON.stringify(events.map((event, index) => store(event, events[index - 1])));

export const decodeEvents = (events: string): HistoryEvent[] => {
  let at = 0;
  return StoredEvents.parse(JSON.parse(events)).map((stored) => {
    at = stored.at ?? at;
    return restore(stored, at);
  });
};
