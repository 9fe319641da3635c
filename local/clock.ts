/** The local clock: wall time plus an offset that a sandbox may move forward, never back. */

export interface LocalClock {
  /** Milliseconds since the epoch, offset included. */
  now(): number;
  /** Calls back after the offset has grown. Returns a function that unsubscribes. */
  onJump(listener: () => void): () => void;
  /** Reads the offset again from its source. */
  reload(): Promise<void>;
}

/** A clock whose offset in milliseconds comes from `readOffset` (a database row, in the sandbox). */
export const localClock = (readOffset: () => Promise<number> = async () => 0): LocalClock => {
  const listeners = new Set<() => void>();
  let offsetMs = 0;
  return {
    now: () => Date.now() + offsetMs,
    onJump: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    reload: async () => {
      const next = await readOffset();
      if (next <= offsetMs) return;
      offsetMs = next;
      for (const listener of listeners) listener();
    },
  };
};
