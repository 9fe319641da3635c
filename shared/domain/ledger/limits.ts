/** A limit and what is used of it, as the limit block tells it (wallet seed, 2.3). */
import { amountOf } from "../money.js";

export interface LimitUse {
  readonly limit: number;
  readonly current: number;
  readonly remainingAmountToLimit: number;
  readonly exceedAmountFromLimit: number;
  readonly violationMessage?: string;
}

const positive = (cents: bigint): bigint => (cents > 0n ? cents : 0n);

/** `violation` tells the person what the limit forbids; it shows only where the limit is exceeded. */
export const upperLimit = (
  limitCents: bigint,
  currentCents: bigint,
  violation: string,
): LimitUse => {
  const exceededCents = positive(currentCents - limitCents);
  return {
    limit: amountOf(limitCents),
    current: amountOf(currentCents),
    remainingAmountToLimit: amountOf(positive(limitCents - currentCents)),
    exceedAmountFromLimit: amountOf(exceededCents),
    ...(exceededCents > 0n ? { violationMessage: violation } : {}),
  };
};

/** A bound of one operation where there is no operation to measure. */
export const unusedLimit = (limitCents: bigint): LimitUse => upperLimit(limitCents, 0n, "");
