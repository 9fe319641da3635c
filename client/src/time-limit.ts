/** Signals that end by themselves, and waits that end with a signal. */

export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Whether the time has run out, and not another signal ended it. */
  isOver(): boolean;
  /** Frees its timer and its listeners. */
  release(): void;
}

/** Of a timer: one that is longer would go off at once. */
const timerMsMax = 2 ** 31 - 1;

/** Aborts after so many milliseconds, or with one of these signals, with that one's reason. */
export const timeLimit = (
  ms: number,
  signals: readonly (AbortSignal | undefined)[] = [],
): TimeLimit => {
  const controller = new AbortController();
  const expired = new DOMException(`Not done within ${ms} ms`, "TimeoutError");
  const timer = setTimeout(() => controller.abort(expired), Math.min(ms, timerMsMax));
  const heard = signals.filter((signal) => signal !== undefined);
  const follow = (event: Event): void => {
    if (event.target instanceof AbortSignal) controller.abort(event.target.reason);
  };
  for (const signal of heard) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener("abort", follow, { once: true });
  }
  return {
    signal: controller.signal,
    isOver: () => controller.signal.reason === expired,
    release: () => {
      clearTimeout(timer);
      for (const signal of heard) signal.removeEventListener("abort", follow);
    },
  };
};

const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new DOMException(String(reason), "AbortError");

/** Rejects with the signal's reason as soon as it is aborted, whatever becomes of the promise. */
export const within = async <Value>(
  signal: AbortSignal,
  promise: Promise<Value>,
): Promise<Value> => {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(asError(signal.reason));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener("abort", stop);
  }
};

/** Resolves after so many milliseconds; rejects with the signal's reason where that comes first. */
export const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await within(signal, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms))));
  } finally {
    clearTimeout(timer);
  }
};
