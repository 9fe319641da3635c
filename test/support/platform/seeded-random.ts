/** Chance that can be told again: the same row of numbers for the same seed. */

/** Even numbers from 0 to 1 (mulberry32). */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Whole numbers from 0 to below the bound. */
export const seededBelow = (seed: number): ((bound: number) => number) => {
  const random = seededRandom(seed);
  return (bound) => Math.floor(random() * bound);
};
