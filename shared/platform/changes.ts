/** Tells those who wait in this process that something has changed: a hint to look again, never a fact. */

/** One who waits for what is told of one key. */
export interface Watch {
  /** Resolves when the key has been told of since the last call, at the latest after `timeoutMs`. */
  next(timeoutMs: number): Promise<void>;
  close(): void;
}

export interface Changes {
  /** To be called after the commit; costs nothing where nobody waits. */
  tell(key: string): void;
  /** To be opened before the first look, so that nothing falls between look and wait. */
  watch(key: string): Watch;
}

/** A watch, and how it is told. */
const openWatch = (close: () => void): { readonly watch: Watch; readonly tell: () => void } => {
  let isTold = false;
  let wake: (() => void) | undefined;
  return {
    tell: () => {
      isTold = true;
      wake?.();
    },
    watch: {
      next: async (timeoutMs) => {
        if (!isTold)
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, timeoutMs);
            wake = () => {
              clearTimeout(timer);
              resolve();
            };
          });
        isTold = false;
      },
      close,
    },
  };
};

export const createChanges = (): Changes => {
  const watches = new Map<string, Set<() => void>>();
  return {
    tell: (key) => {
      for (const tell of watches.get(key) ?? []) tell();
    },
    watch: (key) => {
      const ofKey = watches.get(key) ?? new Set();
      watches.set(key, ofKey);
      const { watch, tell } = openWatch(() => {
        ofKey.delete(tell);
        if (ofKey.size === 0 && watches.get(key) === ofKey) watches.delete(key);
      });
      ofKey.add(tell);
      return watch;
    },
  };
};
