/** The last turn of an execution and the first of the next one, to be written as one. */
import { runTurn } from "./code-turn.js";
import type { OrchestrationState } from "./orchestration-state.js";
import { arrivals } from "./turn-events.js";
import type { Continued, Turn, TurnContext } from "./turn.js";

/** A turn and what it starts from. */
export interface PlayedTurn {
  readonly context: TurnContext;
  readonly turn: Turn;
}

/** The state as it will be once the turn is on disk; the present one stays as it is. */
const stateAfter = (
  { state, arrivals: taken }: TurnContext,
  { executionId, input, carried }: Continued,
): OrchestrationState => ({
  ...state,
  turn: state.turn + 1,
  executionId,
  status: "Running",
  input,
  history: [],
  session: undefined,
  carried,
  inbox: new Map([...state.inbox].filter(([id]) => !taken.consumed.includes(id))),
  ends: [],
  openActivities: new Map(),
  openTimers: new Map(),
  openChildren: new Set(),
});

/** What stops an orchestration is for a turn of its own. */
export const isStopped = ({ inbox }: OrchestrationState): boolean =>
  [...inbox.values()].some(({ body }) => body.type === "terminate" || body.type === "suspend");

/** Runs the first turn of the execution that `continued` begins. */
export const followingTurn = async (
  context: TurnContext,
  continued: Continued,
): Promise<PlayedTurn> => {
  const state = stateAfter(context, continued);
  const following = { ...context, state, arrivals: arrivals(state, context.now) };
  return { context: following, turn: await runTurn(following) };
};

/**
 * Both as one turn, or undefined where one write cannot bring them: the statement clears what the old
 * execution has left, so an activity's row that comes must not have the number of one that goes.
 */
export const joinedTurns = (
  { context: { state, arrivals: taken }, turn: last }: PlayedTurn,
  { context: following, turn: first }: PlayedTurn,
): PlayedTurn | undefined => {
  const row = last.change.turn;
  const { turn: firstRow, activities = [] } = first.change;
  if (row === undefined || firstRow === undefined) return undefined;
  if (last.next.kind !== "continued" || first.next.kind !== "open") return undefined;
  if (activities.some(({ taskId }) => state.openActivities.has(taskId))) return undefined;
  const consumed = [...taken.consumed, ...following.arrivals.consumed];
  return {
    context: {
      ...following,
      state,
      arrivals: { ...following.arrivals, consumed, endsTaken: taken.endsTaken },
    },
    turn: {
      ...first,
      startsOver: last.next,
      change: {
        ...first.change,
        turn: {
          ...firstRow,
          turn: row.turn,
          input: row.input,
          customStatus: firstRow.customStatus ?? row.customStatus,
          clears: row.clears,
        },
        consumed: [...(last.change.consumed ?? []), ...(first.change.consumed ?? [])],
        messages: [...(last.change.messages ?? []), ...(first.change.messages ?? [])],
        instances: [...(last.change.instances ?? []), ...(first.change.instances ?? [])],
      },
    },
  };
};
