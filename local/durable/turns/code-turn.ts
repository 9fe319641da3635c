/** Decides what one turn of an orchestrator changes, from what its code did. */
import { EffectCollector, noSuchFunction, type Effects } from "./command-effects.js";
import { compareWithHistory, type Comparison } from "../replay/determinism.js";
import { stackFrames } from "../protocol/exception-text.js";
import { encodeEvents } from "../protocol/history-codec.js";
import { historyEvent, type HistoryEvent } from "../protocol/protocol.js";
import { replay } from "../replay/replay.js";
import type { CodeEnd, Played, Session } from "../replay/session.js";
import { continueTurn, endTurn, failedBecause, failedEnd, type End } from "./turn-end.js";
import { turnRow, type Turn, type TurnContext } from "./turn.js";

const endFrom = (name: string, end: CodeEnd): End | undefined => {
  if (end.kind === "returned") return { status: "Completed", output: end.output };
  if (end.kind !== "threw") return undefined;
  const { message, stack, failure, error } = end;
  const reason = `Orchestrator function '${name}' failed: ${message}`;
  const details = `Message: ${message}, StackTrace: ${stackFrames(stack)}`;
  return failedEnd({ reason, details, failure }, error);
};

const newEvents = ({ state, now, arrivals }: TurnContext): HistoryEvent[] => [
  historyEvent("OrchestratorStarted", now),
  ...(state.history.length > 0
    ? []
    : [
        historyEvent("ExecutionStarted", now, {
          Name: state.name,
          ...(state.version !== undefined && { Version: state.version }),
          ...(state.input !== undefined && { Input: state.input }),
        }),
      ]),
  ...state.carried.map((event) => ({ ...event, IsPlayed: false, Timestamp: now })),
  ...arrivals.events,
];

/** The framework holds a returned orchestration open until what it has begun has ended, too. */
const hasOpenWork = (
  { state, arrivals }: TurnContext,
  effects: Effects,
  cancelled: readonly number[],
  session: Session,
): boolean => {
  const closed = new Set([...arrivals.firedTimers, ...cancelled, ...session.pauses]);
  const timers = [...state.openTimers.keys(), ...effects.timers.keys()];
  return (
    effects.activities.length > 0 ||
    state.openActivities.size > arrivals.endedActivities.length ||
    effects.children.length > 0 ||
    state.openChildren.size > arrivals.endedChildren.length ||
    timers.some((id) => !closed.has(id))
  );
};

interface Run extends Played {
  readonly session: Session;
  readonly isReplay: boolean;
}

/** Lets the code go on from where it waits, if it is in memory, or plays all of it again. */
const run = async (
  { state, functions }: TurnContext,
  name: string,
  events: readonly HistoryEvent[],
): Promise<Run> => {
  const { session } = state;
  if (session?.canResume === true) {
    const unseen = [...state.history.slice(session.given), ...events];
    return { session, isReplay: false, ...session.resume(unseen) };
  }
  const subject = {
    name,
    instanceId: state.id,
    parentId: state.parent?.id,
    input: state.input,
    traceParent: state.traceParent,
    isReplaying: state.history.length > 0,
  };
  return { isReplay: true, ...(await replay(functions, subject, [...state.history, ...events])) };
};

/** Code that goes on in one process can ask for nothing else than it did: only a replay is checked. */
const newCommands = (
  { state }: TurnContext,
  { issued, isReplay }: Run,
  events: readonly HistoryEvent[],
): Comparison =>
  isReplay
    ? compareWithHistory([...state.history, ...events], state.history.length, issued)
    : { mismatch: undefined, fresh: issued.map(({ command }) => command) };

/** Runs the code and works out the change. Rejects only where the engine itself is wrong. */
export const runTurn = async (context: TurnContext): Promise<Turn> => {
  const { state, functions, now, arrivals } = context;
  const events = newEvents(context);
  const name = functions.find("orchestrator", state.name);
  if (name === undefined) {
    const why = noSuchFunction(functions, "orchestrator", state.name);
    const reason = `Orchestrator function '${state.name}' failed: ${why}`;
    return endTurn(context, failedBecause(reason), events);
  }
  const played = await run(context, name, events);
  const { session, customStatus } = played;
  const { mismatch, fresh } = newCommands(context, played, events);
  if (mismatch !== undefined) return endTurn(context, failedBecause(mismatch), events);
  const collector = new EffectCollector(context, events);
  for (const command of fresh) collector.add(command);
  const { effects } = collector;
  if (played.end.kind === "continued") {
    const unconsumed = session.unconsumed([...state.history, ...events]);
    const continuation = { input: played.end.input, customStatus, unconsumed };
    return continueTurn(context, continuation, effects, events);
  }
  events.push(...effects.events);
  const cancelled = session.cancelled(state.openTimers);
  const end = endFrom(state.name, played.end);
  if (end !== undefined && !hasOpenWork(context, effects, cancelled, session))
    return endTurn(context, end, events, effects, customStatus);
  session.closed([...arrivals.firedTimers, ...cancelled]);
  const timerMessages = cancelled.flatMap((id) => state.openTimers.get(id) ?? []);
  return {
    change: {
      at: now,
      turn: turnRow(context, {
        status: "Running",
        customStatus,
        events: encodeEvents(events),
        clears: "nothing",
      }),
      activities: effects.activities,
      endedActivities: arrivals.endedActivities,
      messages: effects.messages,
      consumed: [...arrivals.consumed, ...timerMessages],
      instances: effects.instances,
    },
    events,
    opened: effects,
    cancelledTimers: cancelled,
    next: { kind: "open", status: "Running", session },
  };
};
