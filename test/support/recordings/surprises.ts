/** Which differences from a recording nobody means to have. */
import type { Differences } from "./play.js";

export interface AcceptedDifference {
  readonly why: string;
  /** The places that differ, or what they begin with: the number of the step, then the path. */
  readonly at: readonly string[];
}
/** By the name of the case. */
export type Accepted = Readonly<Record<string, AcceptedDifference>>;

const shown = (value: unknown): string =>
  value === undefined ? "nothing" : JSON.stringify(value).slice(0, 300);

/** One sentence for each difference that is not accepted, and for each accepted one that is gone. */
export const surprises = (differences: Differences, accepted: Accepted = {}): string[] => {
  const isUnder = (place: string, known: string): boolean =>
    place === known || place.startsWith(`${known}.`);
  const unlisted = [...differences].flatMap(([name, found]) =>
    found
      .filter(({ place }) => !(accepted[name]?.at ?? []).some((known) => isUnder(place, known)))
      .map(
        ({ place, recorded, actual }) =>
          `${name} differs at ${place}: ${shown(recorded)} was recorded, ${shown(actual)} answered`,
      ),
  );
  const gone = Object.entries(accepted).flatMap(([name, { at }]) =>
    at
      .filter((known) => !(differences.get(name) ?? []).some(({ place }) => isUnder(place, known)))
      .map((known) => `${name} no longer differs at ${known}`),
  );
  return [...unlisted, ...gone];
};
