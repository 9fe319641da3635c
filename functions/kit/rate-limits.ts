/** How many calls a partner may make in a second: counted in this process, told on each answer, refused beyond. */
import type { PartnerSettings } from "../../shared/contracts/platform/partner-settings.js";
import type { LimitedKind } from "../../shared/http/access.js";
import type { ErrorDetail } from "../../shared/http/error-body.js";
import type { Clock } from "../../shared/platform/clock.js";
import type { Reply } from "./reply.js";

/** Where a partner stands once a call was counted. */
export interface Quota {
  readonly isExceeded: boolean;
  /** Calls a second, and so many at once. */
  readonly limit: number;
  /** Calls that may come at once. */
  readonly remaining: number;
}

export interface RateLimits {
  /** Counts a call; undefined where the partner has no limit. A refused call counts for nothing. */
  take(partner: LimitedPartner, kind: LimitedKind): Quota | undefined;
}

interface LimitedPartner {
  readonly partnerKey: string;
  readonly settings: Pick<PartnerSettings, "rateLimits">;
}

export interface RateLimitOptions {
  readonly clock: Clock;
  readonly isProduction: boolean;
}

interface Bucket {
  calls: number;
  atMs: number;
}

/** Of each kind; beyond it the oldest bucket goes, and its partner has a second's calls anew. */
const bucketsMax = 10_000;
const inProduction = { callsPerSecond: 1_000, listsPerSecond: 100 };
const elsewhere = { callsPerSecond: null, listsPerSecond: null };

const bucketOf = (
  buckets: Map<string, Bucket>,
  partnerKey: string,
  limit: number,
  nowMs: number,
): Bucket => {
  const known = buckets.get(partnerKey);
  if (known !== undefined) {
    // A clock that was set back fills nothing.
    const passedMs = Math.max(0, nowMs - known.atMs);
    known.calls = Math.min(limit, known.calls + (passedMs * limit) / 1_000);
    known.atMs = nowMs;
    return known;
  }
  const [oldest] = buckets.size < bucketsMax ? [] : buckets.keys();
  if (oldest !== undefined) buckets.delete(oldest);
  const bucket = { calls: limit, atMs: nowMs };
  buckets.set(partnerKey, bucket);
  return bucket;
};

export const createRateLimits = ({ clock, isProduction }: RateLimitOptions): RateLimits => {
  const byDefault = isProduction ? inProduction : elsewhere;
  const buckets = {
    calls: new Map<string, Bucket>(),
    lists: new Map<string, Bucket>(),
    cards: new Map<string, Bucket>(),
  };
  return {
    take: ({ partnerKey, settings: { rateLimits } }, kind) => {
      const setting = kind === "lists" ? "listsPerSecond" : "callsPerSecond";
      const given = rateLimits[setting];
      const limit = given === undefined ? byDefault[setting] : given;
      if (limit === null) return undefined;
      const bucket = bucketOf(buckets[kind], partnerKey, limit, clock.nowMs());
      const isExceeded = bucket.calls < 1;
      if (!isExceeded) bucket.calls -= 1;
      return { isExceeded, limit, remaining: Math.floor(bucket.calls) };
    },
  };
};

const counted: Readonly<Record<LimitedKind, string>> = {
  calls: "calls",
  lists: "calls of lists",
  cards: "payments by card",
};

/** A bucket is a second's calls: after a second it is full, and some call may come before. */
const fullAfterSeconds = "1";

const exceeded = (kind: LimitedKind, { limit }: Quota): ErrorDetail => ({
  code: "RateLimitExceeded",
  description: `The limit for ${counted[kind]} is ${limit} a second: wait a second and repeat.`,
  headers: { "Retry-After": fullAfterSeconds },
});

/** Answers where the quota allows it, and tells the caller where it stands; without a quota there is no limit. */
export const answerWithin = async (
  kind: LimitedKind,
  quota: Quota | undefined,
  answer: () => Promise<Reply>,
  refuse: (refused: ErrorDetail) => Reply,
): Promise<Reply> => {
  if (quota === undefined) return answer();
  const reply = quota.isExceeded ? refuse(exceeded(kind, quota)) : await answer();
  return {
    ...reply,
    headers: {
      ...reply.headers,
      "RateLimit-Limit": String(quota.limit),
      "RateLimit-Remaining": String(quota.remaining),
      "RateLimit-Reset": fullAfterSeconds,
    },
  };
};
