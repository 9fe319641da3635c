/** Draws deaths for hosts under load: at durable writes, in activities and at any moment, by a seed. */
import type { Death } from "./host-lives.js";

/** A small generator of even numbers from 0 to 1 (mulberry32): the same row for the same seed. */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Early writes are those of the start and of the takeover; later ones those of the load. */
const writesMax = 60;
const deedsMax = 40;
const lifeMaxMs = 500;

export const drawDeaths = (count: number, seed: number): Death[] => {
  const random = seededRandom(seed);
  const upTo = (max: number): number => 1 + Math.floor(random() * max);
  const kinds: readonly (() => Death)[] = [
    () => ({ atWrite: `before:${upTo(writesMax)}` }),
    () => ({ atWrite: `sent:${upTo(writesMax)}` }),
    () => ({ atWrite: `answered:${upTo(writesMax)}` }),
    () => ({ atDeed: upTo(deedsMax) }),
    () => ({ afterMs: upTo(lifeMaxMs) }),
  ];
  return Array.from({ length: count }, (_, index) => {
    const draw = kinds[index % kinds.length];
    if (draw === undefined) throw new Error("there is always a kind");
    return draw();
  });
};
