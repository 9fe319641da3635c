/** Wall time as the app sees it: for tokens, leases and caches. Business dates come from the database. */

export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };
