/** When a call that failed is made again, and after how long. */

/** What went wrong: nothing came back, or an answer that may be another one later. */
export interface Trouble {
  /** Null: no answer. */
  readonly status: number | null;
  readonly code?: string | undefined;
  /** Milliseconds that the platform asks to wait. */
  readonly retryAfterMs?: number | undefined;
}

export interface RepeatPolicy {
  /** Of all, the first one included. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  /** No wait is longer; where the platform asks for more, its refusal is the answer. */
  readonly delayMsMax: number;
}

export const defaultPolicy: RepeatPolicy = { attempts: 4, firstDelayMs: 250, delayMsMax: 20_000 };

/** Of what stands before the platform, and of the platform itself while a part of it is away. */
const awayStatuses: readonly (number | null)[] = [null, 502, 503, 504];
const tooMany = 429;

/**
 * Whether another attempt may get further without doing anything twice. A call over the rate limit was
 * refused before anything was done; of one without an answer nobody knows, so that it is repeated only
 * where the platform takes a repeat for what it is.
 */
export const isWorthRepeating = ({ status, code }: Trouble, isRepeatable: boolean): boolean =>
  status === tooMany ||
  (isRepeatable && (awayStatuses.includes(status) || code === "IdempotencyKeyInUse"));

/** Each wait is twice as long as the one before, shortened by up to half so that callers do not come all at once. */
const backOff = (attempt: number, policy: RepeatPolicy, random: number): number =>
  Math.min(policy.firstDelayMs * 2 ** (attempt - 1), policy.delayMsMax) * (1 - random / 2);

/** Milliseconds until the next attempt; null: there is none. `attempt` counts those made, `random` is below 1. */
export const delayAfter = (
  trouble: Trouble,
  isRepeatable: boolean,
  attempt: number,
  policy: RepeatPolicy,
  random: number,
): number | null => {
  if (attempt >= policy.attempts || !isWorthRepeating(trouble, isRepeatable)) return null;
  const delay = Math.max(trouble.retryAfterMs ?? 0, backOff(attempt, policy, random));
  return delay > policy.delayMsMax ? null : delay;
};
