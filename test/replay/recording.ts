/** Replays a recorded life of a flow against the code of the day, and says where they part. */
import { z } from "zod";
import type { Flow } from "../../shared/durable/flow.js";
import { eventType, runTurn, type HistoryEvent, type Scheduled } from "./sdk.js";

const RecordedEvent = z.looseObject({
  EventType: z.int(),
  EventId: z.int(),
  IsPlayed: z.boolean(),
  Timestamp: z.iso.datetime(),
});

export const Recording = z.object({
  flow: z.string(),
  instanceId: z.string(),
  input: z.unknown(),
  history: z.array(RecordedEvent),
});
export type Recording = z.output<typeof Recording>;

const inWords = (asked: Scheduled | undefined): string => {
  if (asked === undefined) return "nothing";
  return asked.kind === "activity" ? `the step ${asked.name}` : "a timer";
};

/** What a recorded event says that was asked for; undefined for events of another sort. */
const recorded = ({ EventType: type, Name: name }: HistoryEvent): string | undefined => {
  if (type === eventType.taskScheduled) return `the step ${String(name)}`;
  return type === eventType.timerCreated ? "a timer" : undefined;
};

/** Resolves to the differences, in the order of the history; none: the code replays this life. */
export const replay = async (flow: Flow, recording: Recording): Promise<string[]> => {
  const { history } = recording;
  const turn = await runTurn({ ...recording, flow }, history);
  const left = new Map(turn.scheduled);
  const differences = turn.error === null ? [] : [turn.error];
  for (const event of history) {
    const then = recorded(event);
    if (then === undefined) continue;
    const now = inWords(left.get(event.EventId));
    left.delete(event.EventId);
    if (now !== then) differences.push(`${event.EventId}: ${then} before, ${now} today`);
  }
  for (const [id, asked] of left)
    differences.push(`${id}: nothing before, ${inWords(asked)} today`);
  return differences;
};
