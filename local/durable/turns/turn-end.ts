/** The turns with which an execution ends: for good, or by starting over. */
import { randomUUID } from "node:crypto";
import { newEntity, type Effects } from "./command-effects.js";
import type { NewInstance } from "../storage/change.js";
import { encodeEvents } from "../protocol/history-codec.js";
import { openLocks } from "../protocol/open-locks.js";
import type { Failed, Message, MessageBody } from "../protocol/messages.js";
import { historyEvent, type FinalStatus, type HistoryEvent } from "../protocol/protocol.js";
import { nothingOpened, turnRow, type Turn, type TurnContext } from "./turn.js";

export interface End {
  readonly status: FinalStatus;
  /** JSON text. */
  readonly output: string | undefined;
  /** For the parent of one that has no result. */
  readonly failed?: Failed;
  /** Why it failed, for the log. */
  readonly error?: string;
}

export const failedEnd = (failed: Failed, error = failed.reason): End => ({
  status: "Failed",
  output: JSON.stringify(failed.reason),
  failed,
  error,
});

/** For what no code has thrown. */
export const failedBecause = (reason: string): End => failedEnd({ reason, details: reason });

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
  openLocks(history).flatMap(({ entities }) =>
    entities.map((target) =>
      send(context, target, {
        type: "release",
        id: "",
        parent: context.state.id,
        parentExecution: context.state.executionId,
        rewinds: context.state.rewinds,
      }),
    ),
  );

/** A request may not have come to each of them yet. */
const entitiesOf = (messages: readonly Message[]): NewInstance[] =>
  messages.map(({ target }) => newEntity(target));

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
      ...(end.failed?.failure !== undefined && { FailureDetails: end.failed.failure }),
    }),
  );
  const { parent } = state;
  const tellParent = parent && [
    send(
      context,
      parent.id,
      end.failed === undefined
        ? { type: "childCompleted", taskId: parent.taskId, result: end.output ?? "null" }
        : { type: "childFailed", taskId: parent.taskId, ...end.failed },
      parent.executionId,
    ),
  ];
  const released = releases(context, [...state.history, ...events]);
  const messages = [...(effects?.messages ?? []), ...released, ...(tellParent ?? [])];
  return {
    change: {
      at: now,
      turn: turnRow(context, {
        status: end.status,
        output: end.output,
        customStatus,
        events: encodeEvents(events),
        clears: "openWork",
      }),
      consumed: arrivals.consumed,
      messages,
      instances: [...(effects?.instances ?? []), ...entitiesOf(released)],
    },
    events,
    opened: nothingOpened,
    cancelledTimers: [],
    next: { kind: "ended", status: end.status, error: end.error },
  };
};

interface Continuation {
  readonly input: string | undefined;
  readonly customStatus: string | undefined;
  readonly unconsumed: readonly HistoryEvent[];
}

export const continueTurn = (
  context: TurnContext,
  { input, customStatus, unconsumed }: Continuation,
  effects: Effects,
  events: readonly HistoryEvent[],
): Turn => {
  const executionId = randomUUID().replaceAll("-", "");
  const { state, now, arrivals } = context;
  const released = releases(context, [...state.history, ...events]);
  const messages = [...effects.messages, ...released].filter(({ target }) => target !== state.id);
  return {
    change: {
      at: now,
      turn: turnRow(context, {
        status: "Running",
        executionId,
        input: input ?? "null",
        customStatus,
        carried: unconsumed.length > 0 ? encodeEvents(unconsumed) : undefined,
        clears: "execution",
      }),
      consumed: arrivals.consumed,
      messages,
      // A child whose id is in use tells nobody: who began it has started over.
      instances: [
        ...effects.instances.map((one) => ({ ...one, onConflict: undefined })),
        ...entitiesOf(released),
      ],
    },
    events: [],
    opened: nothingOpened,
    cancelledTimers: [],
    next: { kind: "continued", executionId, input: input ?? "null", carried: unconsumed },
  };
};
