/** What the live instances of one host share: the app, the clock, the database and each other. */
import type { LocalClock } from "../../clock.js";
import type { Change, Committed, NewInstance } from "../storage/change.js";
import type { InstanceEnd } from "./end-waiters.js";
import type { DurableFunctions } from "../protocol/functions.js";
import type { StoredActivity } from "../storage/instance-rows.js";
import type { Message } from "../protocol/messages.js";
import type { ActivityEnd } from "./orchestration-state.js";
import type { VersionSettings } from "../protocol/versions.js";

/** An instance in memory. It works through what it is given, one turn after the other. */
export interface LiveInstance {
  readonly id: string;
  /** Of this life of the id. */
  readonly key: number;
  /** True while nothing is left to do now: no turn, no message, no running activity. */
  readonly isIdle: boolean;
  /** True while it has results that are stored nowhere: without it, they would be worked out again. */
  readonly holdsResults: boolean;
  /** How many messages without a date have reached it that it has not consumed. */
  readonly waiting: number;
  /** A message is on disk and due. */
  receive(message: Message): void;
  /** Goes on; does nothing where there is nothing to do. */
  wake(): void;
  /** It is out of memory, or not ours any more: nothing that it still does may be written. */
  leave(): void;
}

/** The side of the registry that instances see. */
export interface Hub {
  readonly functions: DurableFunctions;
  readonly clock: LocalClock;
  /** True where an orchestrator's code waits in memory instead of being replayed every turn. */
  readonly keepsSessions: boolean;
  readonly versions: VersionSettings;
  /** So many operations go into one batch of an entity at most. */
  readonly entityBatchMax: number;
  /** An aborted signal withdraws the change where it is not written yet. */
  commit(change: Change, signal?: AbortSignal): Promise<Committed>;
  nextMessageId(): number;
  /** To be called once the messages are on disk: due ones go to their targets, others wait. */
  dispatch(messages: readonly Message[]): void;
  /** The instance is on disk now, and takes its own messages. */
  enter(instance: LiveInstance): void;
  /** To be called once the instances are on disk. */
  adopt(instances: readonly NewInstance[], committed: Committed): void;
  startActivity(
    activity: StoredActivity,
    instanceId: string,
    done: (end: ActivityEnd["outcome"]) => void,
  ): void;
  /** The instance has done a turn, or ended. */
  moved(instanceId: string, end?: InstanceEnd): void;
  /** The instance has nothing to do and may leave memory. */
  rest(instance: LiveInstance): void;
  /** The instance is not ours any more, or memory and disk disagree: read it again if need be. */
  abandon(instance: LiveInstance): void;
  /** The database refuses what the instance wants to store. */
  quarantine(instance: LiveInstance, error: unknown): void;
}
