/** One atomic change of the engine's state: what a turn, or a client's call, writes all at once. */
import type { Message } from "../protocol/messages.js";
import type { RuntimeStatus } from "../protocol/protocol.js";

export type InstanceKind = "orchestration" | "entity";

/** The new state of an instance; it is written only while epoch and turn are still these. */
export interface TurnRow {
  readonly key: number;
  readonly id: string;
  readonly epoch: number;
  readonly turn: number;
  readonly status: RuntimeStatus;
  readonly executionId: string;
  readonly output?: string | undefined;
  /** Absent: as it was. */
  readonly customStatus?: string | undefined;
  /** Absent: as it was. */
  readonly input?: string | undefined;
  /** Raised events that the next execution begins with. */
  readonly carried?: string | undefined;
  readonly entityState?: string | undefined;
  readonly entityLock?: string | undefined;
  /** The turn's events; absent where the turn leaves no history. */
  readonly events?: string | undefined;
  /** What goes with it: all of an execution, where a new one begins, or the work left open at the end. */
  readonly clears: "nothing" | "execution" | "openWork";
}

export interface NewActivity {
  readonly taskId: number;
  readonly name: string;
  readonly input: string | undefined;
}

export interface NewInstance {
  readonly id: string;
  readonly kind: InstanceKind;
  readonly executionId: string;
  readonly name: string;
  readonly version?: string | undefined;
  readonly status: RuntimeStatus;
  readonly input?: string | undefined;
  /** The trace of whoever starts it. */
  readonly traceParent?: string | undefined;
  readonly parentId?: string | undefined;
  readonly parentExecutionId?: string | undefined;
  readonly parentTaskId?: number | undefined;
  /** Sent instead where the id belongs to an instance that has not ended. */
  readonly onConflict?: Message | undefined;
}

/** An orchestration under an id that nobody else can have, and with the key that it will get. */
export interface BegunInstance extends NewInstance {
  readonly key: number;
}

export interface Change {
  readonly at: Date;
  /** Creates the instance whose first turn this is, or that has not had any. */
  readonly begun?: BegunInstance;
  readonly turn?: TurnRow;
  readonly activities?: readonly NewActivity[];
  readonly endedActivities?: readonly number[];
  readonly messages?: readonly Message[];
  readonly consumed?: readonly number[];
  readonly instances?: readonly NewInstance[];
}

export interface CreatedInstance {
  readonly key: number;
  readonly epoch: number;
  /** Whose creation it was, where several asked for the same id at once. */
  readonly executionId: string;
}

export interface Committed {
  /** False where the fence held: the instance is another's, or has begun already; nothing was written. */
  readonly applied: boolean;
  /** By instance id; an id that is missing was in use. */
  readonly created: ReadonlyMap<string, CreatedInstance>;
  /**
   * True while what is on disk is all that memory may go by: other hosts write to this hub, too, or a write's
   * first answer was lost a moment ago, and what it brought may have been taken since, or not have been seen yet.
   */
  readonly isShared: boolean;
}
