/** Money at the edge is a JSON number with at most two decimals; inside it is bigint cents. */

/** A hundred thousand million: far above any amount here, far below where doubles lose cents. */
const largest = 1e11;

/** Undefined when the number has more than two decimals or is no amount at all. */
export const centsOf = (amount: number): bigint | undefined => {
  if (!Number.isFinite(amount) || Math.abs(amount) > largest) return undefined;
  const cents = Math.round(amount * 100);
  return cents / 100 === amount ? BigInt(cents) : undefined;
};

export const amountOf = (cents: bigint): number => Number(cents) / 100;
