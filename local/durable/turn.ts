/** Decides what one turn of an orchestrator changes, from what its code did. */
import { randomUUID } from "node:crypto";
import type { Change, TurnRow } from "./change.js";
import { EffectCollector, noSuchFunction, type Effects } from "./command-effects.js";
import type { Command } from "./commands.js";
import { compareWithHistory } from "./determinism.js";
import { stackFrames } from "./failure-details.js";
import type { DurableFunctions } from "./functions.js";
import { encodeEvents } from "./history-codec.js";
import { locksToRelease } from "./lock-release.js";
import type { Message, MessageBody } from "./messages.js";
import type { OrchestrationState } from "./orchestration-state.js";
import { historyEvent, type FinalStatus, type HistoryEvent, type OpenStatus } from "./protocol.js";
import { replay, type Replay, type ReplayEnd } from "./replay.js";
import type { Arrivals } from "./turn-events.js";

/** A finished turn: the change to write, and the state that holds once it is written. */
export interface Turn {
  readonly change: Change;
  readonly events: readonly HistoryEvent[];
  /** Timers and children that wait from now on. */
  readonly opened: Pick<Effects, "timers" | "children">;
  readonly cancelledTimers: readonly number[];
  readonly next:
    | { readonly kind: "open"; readonly status: OpenStatus }
    | { readonly kind: "ended"; readonly status: FinalStatus }
    | {
        readonly kind: "continued";
        readonly executionId: string;
        readonly input: string | undefined;
        readonly carried: readonly HistoryEvent[];
      };
}

export const nothingOpened: Turn["opened"] = { timers: new Map(), children: [] };

export interface TurnContext {
  readonly state: OrchestrationState;
  readonly functions: DurableFunctions;
  readonly now: Date;
  readonly arrivals: Arrivals;
  readonly nextMessageId: () => number;
}

interface End {
  readonly status: FinalStatus;
  /** JSON text. */
  readonly output: string | undefined;
  /** For the parent of a failed orchestration. */
  readonly reason: string;
  readonly details: string;
}

const failure = (reason: string, details = reason): End => ({
  status: "Failed",
  output: JSON.stringify(reason),
  reason,
  details,
});

const endFrom = (name: string, end: ReplayEnd): End | undefined => {
  if (end.kind === "returned")
    return { status: "Completed", output: end.output, reason: "", details: "" };
  if (end.kind !== "threw") return undefined;
  const reason = `Orchestrator function '${name}' failed: ${end.message}`;
  return failure(reason, `Message: ${end.message}, StackTrace: ${stackFrames(end.stack)}`);
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

const turnRow = (
  { state }: TurnContext,
  row: Pick<TurnRow, "status" | "forget"> & Partial<TurnRow>,
): TurnRow => ({
  key: state.key,
  id: state.id,
  epoch: state.epoch,
  turn: state.turn,
  executionId: state.executionId,
  ...row,
});

const send = (
  context: TurnContext,
  target: string,
  body: MessageBody,
  executionId?: string,
): Message => ({
  id: context.nextMessageId(),
  target,
  body,
  ...(executionId !== undefined && { executionId }),
});

const releases = (context: TurnContext, history: readonly HistoryEvent[]): Message[] =>
  locksToRelease(history).map((target) =>
    send(context, target, {
      type: "release",
      id: "",
      parent: context.state.id,
      parentExecution: context.state.executionId,
    }),
  );

/** The last turn of an orchestration, whatever ended it. */
export const endTurn = (
  context: TurnContext,
  end: End,
  events: HistoryEvent[],
  effects?: Effects,
  customStatus?: string,
): Turn => {
  const { state, now, arrivals } = context;
  events.push(
    historyEvent("ExecutionCompleted", now, {
      OrchestrationStatus: end.status,
      ...(end.output !== undefined && { Result: end.output }),
    }),
  );
  const { parent } = state;
  const tellParent = parent && [
    send(
      context,
      parent.id,
      end.status === "Completed"
        ? { type: "childCompleted", taskId: parent.taskId, result: end.output ?? "null" }
        : { type: "childFailed", taskId: parent.taskId, reason: end.reason, details: end.details },
      parent.executionId,
    ),
  ];
  const messages = [
    ...(effects?.messages ?? []),
    ...releases(context, [...state.history, ...events]),
    ...(tellParent ?? []),
  ];
  return {
    change: {
      at: now,
      turn: turnRow(context, {
        status: end.status,
        output: end.output,
        customStatus,
        events: encodeEvents(events),
        forget: "openWork",
      }),
      consumed: arrivals.consumed,
      messages,
      instances: effects?.instances ?? [],
    },
    events,
    opened: nothingOpened,
    cancelledTimers: [],
    next: { kind: "ended", status: end.status },
  };
};

const continueTurn = (
  context: TurnContext,
  input: string | undefined,
  { customStatus, unconsumed }: Replay,
  effects: Effects,
  events: readonly HistoryEvent[],
): Turn => {
  const executionId = randomUUID().replaceAll("-", "");
  const { state, now, arrivals } = context;
  const messages = [
    ...effects.messages,
    ...releases(context, [...state.history, ...events]),
  ].filter(({ target }) => target !== state.id);
  return {
    change: {
      at: now,
      turn: turnRow(context, {
        status: "Running",
        executionId,
        input: input ?? "null",
        customStatus,
        carried: unconsumed.length > 0 ? encodeEvents(unconsumed) : undefined,
        forget: "execution",
      }),
      consumed: arrivals.consumed,
      messages,
      instances: effects.instances.filter(({ kind }) => kind === "entity"),
    },
    events: [],
    opened: nothingOpened,
    cancelledTimers: [],
    next: { kind: "continued", executionId, input: input ?? "null", carried: unconsumed },
  };
};

/** Timers that the app has cancelled since they were set. */
const cancelledTimers = (state: OrchestrationState, commands: readonly Command[]): number[] =>
  commands.flatMap((command) =>
    command.kind === "timer" && state.openTimers.has(command.id) && command.isCanceled()
      ? [command.id]
      : [],
  );

/** The framework holds a returned orchestration open until what it has begun has ended, too. */
const hasOpenWork = (
  { state, arrivals }: TurnContext,
  effects: Effects,
  cancelled: readonly number[],
  commands: readonly Command[],
): boolean => {
  const pauses = new Set(commands.flatMap(({ kind, id }) => (kind === "pause" ? [id] : [])));
  const closed = new Set([...arrivals.firedTimers, ...cancelled, ...pauses]);
  const timers = [...state.openTimers.keys(), ...effects.timers.keys()];
  return (
    effects.activities.length > 0 ||
    state.openActivities.size > arrivals.endedActivities.length ||
    effects.children.length > 0 ||
    state.openChildren.size > arrivals.endedChildren.length ||
    timers.some((id) => !closed.has(id))
  );
};

/** Runs the code and works out the change. Rejects only where the engine itself is wrong. */
export const runTurn = async (context: TurnContext): Promise<Turn> => {
  const { state, functions, now, arrivals } = context;
  const events = newEvents(context);
  const name = functions.find("orchestrator", state.name);
  if (name === undefined) {
    const why = noSuchFunction(functions, "orchestrator", state.name);
    return endTurn(
      context,
      failure(`Orchestrator function '${state.name}' failed: ${why}`),
      events,
    );
  }
  const history = [...state.history, ...events];
  const played = await replay(
    functions,
    {
      name,
      instanceId: state.id,
      parentId: state.parent?.id,
      input: state.input,
      isReplaying: state.history.length > 0,
    },
    history,
  );
  const { mismatch, fresh } = compareWithHistory(history, state.history.length, played.commands);
  if (mismatch !== undefined) return endTurn(context, failure(mismatch), events);
  const collector = new EffectCollector({ ...context, history });
  for (const command of fresh) collector.add(command);
  const { effects } = collector;
  if (played.end.kind === "continued")
    return continueTurn(context, played.end.input, played, effects, events);
  events.push(...effects.events);
  const commands = played.commands.map(({ command }) => command);
  const cancelled = cancelledTimers(state, commands);
  const end = endFrom(state.name, played.end);
  if (end !== undefined && !hasOpenWork(context, effects, cancelled, commands))
    return endTurn(context, end, events, effects, played.customStatus);
  const timerMessages = cancelled.flatMap((id) => state.openTimers.get(id) ?? []);
  return {
    change: {
      at: now,
      turn: turnRow(context, {
        status: "Running",
        customStatus: played.customStatus,
        events: encodeEvents(events),
        forget: "nothing",
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
    next: { kind: "open", status: "Running" },
  };
};
