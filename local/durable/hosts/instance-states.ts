/** What an instance can be in the memory of its host, and what each event makes of it: a pure table. */

export const instanceStates = [
  /** Not in memory, and nothing is known that would bring it in. */
  "absent",
  /** The next read of the database fetches it. */
  "queued",
  /** It is being read. */
  "loading",
  /** It is being read, and something has changed in the database since the read began. */
  "loadingStale",
  /** In memory, with a turn or an activity to do, or in the middle of one. */
  "running",
  /** In memory with nothing to do: it may leave. */
  "idle",
  /** As idle, with results that are stored nowhere: it stays, or they would be worked out again. */
  "holding",
  /** It cannot be read, or the database has refused what it wanted to store: it is read again after a while. */
  "quarantined",
] as const;
export type InstanceState = (typeof instanceStates)[number];

export const instanceEvents = [
  /** A message for it is on disk, and due. */
  "message",
  /** The database holds messages for it that this host has not written, or has lost sight of. */
  "changed",
  /** The loader takes it out of its queue. */
  "readBegun",
  /** The read has found it, open and this host's. */
  "found",
  /** The read has not: it has ended, or is another host's. */
  "missing",
  /** The read came to nothing, because the database is away. */
  "readFailed",
  /** What was read of it makes no sense. */
  "unreadable",
  /** A write of this host has created it. */
  "created",
  /** A write has created it together with its first turn: it is at work already. */
  "begun",
  /** It has nothing left to do. */
  "rested",
  /** It has nothing left to do now, and holds results that it may not take yet. */
  "restedHolding",
  /** Its place is needed for others. */
  "evicted",
  /** It has ended, and this is on disk. */
  "ended",
  /** Its fence held: another host has it, or memory and database disagree. */
  "refused",
  /** The database refuses what it wants to store. */
  "unstorable",
  /** Its quarantine is over. */
  "released",
  /** A client has removed this life of its id from the database. */
  "removed",
  /** The host has lost its lease: it may own nothing any more. */
  "lost",
] as const;
export type InstanceEvent = (typeof instanceEvents)[number];

export type InstanceAction =
  /** Keep the message until the instance is in memory. */
  | "keep"
  /** Give the message to the instance. */
  | "deliver"
  /** Have the loader read it. */
  | "enqueue"
  /** Have its messages fetched. */
  | "fetch"
  /** Take the instance in, with the messages kept for it. */
  | "admit"
  /** Another copy is here already: nothing that the new one still does may be written. */
  | "reject"
  /** It leaves memory: nothing that it still does may be written. */
  | "leave"
  /** Release it after a while. */
  | "pause";

export interface Transition {
  readonly to: InstanceState;
  readonly actions: readonly InstanceAction[];
}

const go = (to: InstanceState, ...actions: InstanceAction[]): Transition => ({ to, actions });

/** What holds for every instance that is in memory and not in quarantine. */
const inMemory: Partial<Record<InstanceEvent, Transition>> = {
  ended: go("absent"),
  refused: go("queued", "leave", "enqueue"),
  unstorable: go("quarantined", "leave", "pause"),
  removed: go("absent", "leave"),
  lost: go("absent", "leave"),
};

/** An event that a state does not list changes nothing there. */
const table: Readonly<Record<InstanceState, Partial<Record<InstanceEvent, Transition>>>> = {
  absent: {
    message: go("queued", "keep", "enqueue"),
    changed: go("queued", "enqueue"),
    created: go("running", "admit"),
    begun: go("running", "admit"),
  },
  // The read that is given up here might have brought messages that others sent since the creation.
  queued: {
    message: go("queued", "keep"),
    readBegun: go("loading"),
    created: go("running", "admit", "fetch"),
    begun: go("running", "admit", "fetch"),
  },
  loading: {
    message: go("loading", "keep"),
    changed: go("loadingStale"),
    found: go("running", "admit"),
    missing: go("absent"),
    readFailed: go("queued", "enqueue"),
    unreadable: go("quarantined", "pause"),
    created: go("running", "admit", "fetch"),
    begun: go("running", "admit", "fetch"),
    lost: go("loadingStale"),
  },
  loadingStale: {
    message: go("loadingStale", "keep"),
    found: go("running", "admit", "fetch"),
    missing: go("queued", "enqueue"),
    readFailed: go("queued", "enqueue"),
    unreadable: go("quarantined", "pause"),
    created: go("running", "admit", "fetch"),
    begun: go("running", "admit", "fetch"),
  },
  running: {
    ...inMemory,
    message: go("running", "deliver"),
    changed: go("running", "fetch"),
    begun: go("running", "reject"),
    rested: go("idle"),
    restedHolding: go("holding"),
  },
  idle: {
    ...inMemory,
    message: go("running", "deliver"),
    changed: go("idle", "fetch"),
    begun: go("idle", "reject"),
    restedHolding: go("holding"),
    evicted: go("absent", "leave"),
  },
  holding: {
    ...inMemory,
    message: go("running", "deliver"),
    changed: go("holding", "fetch"),
    begun: go("holding", "reject"),
    rested: go("idle"),
  },
  quarantined: {
    begun: go("quarantined", "reject"),
    released: go("queued", "enqueue"),
    removed: go("absent"),
    lost: go("absent"),
  },
};

const statesInMemory: ReadonlySet<InstanceState> = new Set([
  "running",
  "idle",
  "holding",
  "quarantined",
]);

/** True where the host has the instance itself, not only its id. */
export const isInMemory = (state: InstanceState): boolean => statesInMemory.has(state);

export const transition = (state: InstanceState, event: InstanceEvent): Transition =>
  table[state][event] ?? { to: state, actions: [] };
