/** The turns that run no code: an orchestration is suspended, or terminated. */
import { encodeEvents } from "../protocol/history-codec.js";
import type { Message } from "../protocol/messages.js";
import { historyEvent } from "../protocol/protocol.js";
import { endTurn, failedBecause } from "./turn-end.js";
import type { PlayedTurn } from "./joined-turns.js";
import { nothingOpened, type Turn, type TurnContext } from "./turn.js";

const reasonOf = ({ body }: Message): string | undefined =>
  "reason" in body ? body.reason : undefined;

const reasonText = (reason: string | undefined): string | undefined =>
  reason === undefined ? undefined : JSON.stringify(reason);

export const terminationTurn = (context: TurnContext, message: Message): Turn => {
  const { now, state } = context;
  const reason = reasonOf(message);
  const output = reasonText(reason);
  const why = `Orchestrator function '${state.name}' was terminated: ${reason ?? ""}`;
  return endTurn(context, { status: "Terminated", output, failed: { reason: why, details: why } }, [
    historyEvent("OrchestratorStarted", now),
    historyEvent("ExecutionTerminated", now, { ...(reason !== undefined && { Input: reason }) }),
  ]);
};

/** Fails the orchestration. What has arrived is not in the history, so it stays for a rewind. */
const failingTurn = (context: TurnContext, why: string): Turn =>
  endTurn({ ...context, arrivals: { ...context.arrivals, consumed: [] } }, failedBecause(why), [
    historyEvent("OrchestratorStarted", context.now),
  ]);

/** What the code asked for cannot be stored; the reason is the database's. */
export const refusedTurn = (context: TurnContext, reason: string): Turn =>
  failingTurn(
    context,
    `Orchestrator function '${context.state.name}' failed: its turn could not be stored: ${reason}`,
  );

/** The host may not run what has this version, and is told not to leave it to another one. */
export const mismatchTurn = (context: TurnContext): Turn => {
  const { name, version = "" } = context.state;
  return failingTurn(
    context,
    `Orchestrator function '${name}' failed: its version '${version}' does not match this host's, '${context.defaultVersion ?? ""}'.`,
  );
};

/** A turn that leaves everything but some messages where it is. */
const takingOnly = (context: TurnContext, consumed: readonly number[]): TurnContext => ({
  ...context,
  arrivals: {
    events: [],
    consumed,
    endedActivities: [],
    endsTaken: 0,
    firedTimers: [],
    endedChildren: [],
    latestFireAt: 0,
  },
});

/** Everything else that has arrived keeps waiting until the orchestration is resumed. */
export const suspensionTurn = (context: TurnContext, message: Message): PlayedTurn => {
  const { now, state } = context;
  const reason = reasonOf(message);
  // What was asked before the pause does not end it.
  const inbox = [...state.inbox.values()];
  const past = inbox
    .slice(0, inbox.indexOf(message))
    .flatMap(({ id, body }) => (body.type === "resume" ? [id] : []));
  const events = [
    historyEvent("ExecutionSuspended", now, { ...(reason !== undefined && { Reason: reason }) }),
  ];
  const consumed = [message.id, ...past];
  const turn: Turn = {
    change: {
      at: now,
      turn: {
        key: state.key,
        id: state.id,
        epoch: state.epoch,
        turn: state.turn,
        executionId: state.executionId,
        status: "Suspended",
        output: reasonText(reason),
        carried: state.carried.length > 0 ? encodeEvents(state.carried) : undefined,
        events: encodeEvents(events),
        clears: "nothing",
      },
      consumed,
    },
    events,
    opened: nothingOpened,
    cancelledTimers: [],
    next: { kind: "open", status: "Suspended" },
  };
  return { context: takingOnly(context, consumed), turn };
};
