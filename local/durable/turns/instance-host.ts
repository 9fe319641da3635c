/** What instances in memory have around them: what their turns work with, and the host that has them. */
import type { LocalClock } from "../../clock.js";
import type { Change, Committed, NewInstance } from "../storage/change.js";
import type { InstanceEnd } from "./end-waiters.js";
import type { DurableFunctions } from "../protocol/functions.js";
import type { LockHolder } from "../storage/lock-holders.js";
import type { Message } from "../protocol/messages.js";
import type { SpoiledMessage } from "../storage/set-aside.js";
import type { ActivityJob } from "./activity-runner.js";
import type { VersionSettings } from "../protocol/versions.js";
import type { WorkLog } from "./work-log.js";

/** An instance in memory. It works through what it is given, one turn after the other. */
export interface LiveInstance {
  readonly id: string;
  /** Of this life of the id. */
  readonly key: number;
  readonly epoch: number;
  /** How many turns of it are known to be on disk. */
  readonly turn: number;
  /** True while nothing is left to do now: no turn, no message, no running activity. */
  readonly isIdle: boolean;
  /** True while it is in the middle of a turn. */
  readonly isBusy: boolean;
  /** True while it has results that are stored nowhere: without it, they would be worked out again. */
  readonly holdsResults: boolean;
  /** How many messages without a date have reached it that it has not consumed. */
  readonly waiting: number;
  /** True where the message has reached it and is not consumed yet. */
  has(messageId: number): boolean;
  /** A message is on disk and due. */
  receive(message: Message): void;
  /** Goes on; does nothing where there is nothing to do. */
  wake(): void;
  /** It is out of memory, or not ours any more: nothing that it still does may be written. */
  leave(): void;
}

/** What every turn of every instance works with: the app, the clock, the settings, the database. */
export interface TurnServices {
  readonly functions: DurableFunctions;
  readonly clock: LocalClock;
  /** True where an orchestrator's code waits in memory instead of being replayed every turn. */
  readonly keepsSessions: boolean;
  readonly versions: VersionSettings;
  /** So many operations go into one batch of an entity at most. */
  readonly entityBatchMax: number;
  /** An aborted signal withdraws the change where it is not written yet. */
  commit(change: Change, signal?: AbortSignal): Promise<Committed>;
  /** Which of these can still give a lock back: one boolean for each. Rejects while the database is away. */
  areOpen(holders: readonly LockHolder[]): Promise<boolean[]>;
  nextMessageId(): number;
  /** Takes messages out of the way whose effect cannot be stored; a person finds them. */
  setAside(messages: readonly SpoiledMessage[]): Promise<void>;
  /** True once the host is stopping: what has ended is still stored, nothing new is begun. */
  isStopping(): boolean;
  readonly log: WorkLog;
  startActivity(job: ActivityJob): void;
}

/** The side of the host's memory that its instances see: they report to it what has become of them. */
export interface InstanceHost {
  /** The instance is on disk now, with its first turn, and takes its own messages. */
  begun(instance: LiveInstance): void;
  /** It has done a turn. */
  moved(instance: LiveInstance): void;
  ended(instance: LiveInstance, end: InstanceEnd): void;
  /** It has nothing to do and may leave memory. */
  rested(instance: LiveInstance): void;
  /** It is not ours any more, or memory and disk disagree: it is read again if need be. */
  refused(instance: LiveInstance): void;
  /** The database refuses what it wants to store. */
  unstorable(instance: LiveInstance, error: unknown): void;
  /** To be called once the instances are on disk. */
  created(instances: readonly NewInstance[], committed: Committed): void;
  /** To be called once the messages are on disk: due ones reach their targets, others wait. */
  sent(messages: readonly Message[], committed: Committed): void;
}
