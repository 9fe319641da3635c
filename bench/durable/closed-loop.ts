/** Keeps so many runs in flight for a while, and tells their rate and how long each took. */

export interface Load {
  readonly inFlight: number;
  /** No run begins after this. */
  readonly seconds: number;
  /** Ends the load earlier. */
  readonly runsMax?: number;
}

export interface SlotFigures {
  readonly runs: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The value that `share` of the values do not exceed. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
};

/** `run` is told the number of its run. */
export const closedLoop = async (
  { inFlight, seconds, runsMax = Number.POSITIVE_INFINITY }: Load,
  run: (index: number) => Promise<void>,
): Promise<SlotFigures> => {
  const tookMs: number[] = [];
  const began = performance.now();
  const endsAt = began + seconds * 1_000;
  let started = 0;
  const keepOneGoing = async (): Promise<void> => {
    while (started < runsMax) {
      const startedAt = performance.now();
      if (startedAt >= endsAt) return;
      started += 1;
      await run(started);
      tookMs.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, keepOneGoing));
  return {
    runs: tookMs.length,
    perSecond: tookMs.length / ((performance.now() - began) / 1_000),
    p50Ms: quantile(tookMs, 0.5),
    p99Ms: quantile(tookMs, 0.99),
  };
};
