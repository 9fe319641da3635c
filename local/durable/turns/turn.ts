/** What one turn of an orchestration changes, and what it starts from. */
import type { Change, TurnRow } from "../storage/change.js";
import type { Effects } from "./command-effects.js";
import type { DurableFunctions } from "../protocol/functions.js";
import type { OrchestrationState } from "./orchestration-state.js";
import type { FinalStatus, HistoryEvent, OpenStatus } from "../protocol/protocol.js";
import type { Session } from "../replay/session.js";
import type { Arrivals } from "./turn-events.js";

/** A finished turn: the change to write, and the state that holds once it is written. */
export interface Turn {
  readonly change: Change;
  readonly events: readonly HistoryEvent[];
  /** Timers and children that wait from now on. */
  readonly opened: Pick<Effects, "timers" | "children">;
  readonly cancelledTimers: readonly number[];
  /** The start of the execution whose first turn this is, where one write brings both. */
  readonly startsOver?: Continued;
  readonly next:
    | {
        readonly kind: "open";
        readonly status: OpenStatus;
        /** Where the code stands; absent where it did not run. */
        readonly session?: Session;
      }
    | {
        readonly kind: "ended";
        readonly status: FinalStatus;
        /** Why it failed, for the log. */
        readonly error: string | undefined;
      }
    | Continued;
}

/** The orchestration begins anew, with an empty history. */
export interface Continued {
  readonly kind: "continued";
  readonly executionId: string;
  readonly input: string | undefined;
  readonly carried: readonly HistoryEvent[];
}

export const nothingOpened: Turn["opened"] = { timers: new Map(), children: [] };

export interface TurnContext {
  readonly state: OrchestrationState;
  readonly functions: DurableFunctions;
  readonly now: Date;
  readonly arrivals: Arrivals;
  readonly nextMessageId: () => number;
  readonly defaultVersion: string | undefined;
}

export const turnRow = (
  { state }: TurnContext,
  row: Pick<TurnRow, "status" | "clears"> & Partial<TurnRow>,
): TurnRow => ({
  key: state.key,
  id: state.id,
  epoch: state.epoch,
  turn: state.turn,
  executionId: state.executionId,
  ...row,
});
