/** Named points where a test may kill the process, so that recovery is tested at the worst moments. */
import { kill, pid } from "node:process";

export interface FaultPoints {
  /** Does nothing, unless a setting names this point: then the process dies at the given hit. */
  hit(point: string): void;
}

export const noFaultPoints: FaultPoints = { hit: () => undefined };

const killItself = (): void => void kill(pid, "SIGKILL");

/** Fault points by name, each with the number of the hit that strikes. */
export const faultPoints = (
  strikes: ReadonlyMap<string, number>,
  strike: () => void = killItself,
): FaultPoints => {
  if (strikes.size === 0) return noFaultPoints;
  const hits = new Map<string, number>();
  return {
    hit: (point) => {
      const strikesAt = strikes.get(point);
      if (strikesAt === undefined) return;
      const count = (hits.get(point) ?? 0) + 1;
      hits.set(point, count);
      if (count === strikesAt) strike();
    },
  };
};
