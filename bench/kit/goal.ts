/** Says of a figure whether it meets its goal; nobody types such a verdict in. */

export interface Goal {
  /** Its number among the performance goals, such as P7. */
  readonly number: string;
  readonly limit: number;
  readonly bound: "at least" | "at most";
  readonly unit?: string;
}

export const atLeast = (number: string, limit: number, unit?: string): Goal => ({
  number,
  limit,
  bound: "at least",
  ...(unit !== undefined && { unit }),
});

export const atMost = (number: string, limit: number, unit?: string): Goal => ({
  number,
  limit,
  bound: "at most",
  ...(unit !== undefined && { unit }),
});

export const isMet = ({ limit, bound }: Goal, value: number): boolean =>
  bound === "at least" ? value >= limit : value <= limit;

/** "goal P7 at least 3: met". */
export const verdict = (goal: Goal, value: number): string => {
  const limit = goal.unit === undefined ? goal.limit : `${goal.limit} ${goal.unit}`;
  return `goal ${goal.number} ${goal.bound} ${limit}: ${isMet(goal, value) ? "met" : "not met"}`;
};
