/** Draws deaths for hosts under load: at durable writes, in activities and at any moment, by a seed. */
import { seededRandom } from "../platform/seeded-random.js";
import type { Death } from "./host-lives.js";

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
