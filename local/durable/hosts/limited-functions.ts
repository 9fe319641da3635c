/** Keeps the number of orchestrators and entities that run at the same time below a limit. */
import type { DurableFunctions } from "../protocol/functions.js";

export interface FunctionLimits {
  /** Absent: as many as there are. */
  readonly orchestrators?: number | undefined;
  readonly entities?: number | undefined;
}

type Limit = <T>(work: () => Promise<T>) => Promise<T>;

/** First come, first served. */
const limit = (max: number | undefined): Limit => {
  if (max === undefined) return async (work) => work();
  let free = max;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
};

export const limitedFunctions = (
  functions: DurableFunctions,
  limits: FunctionLimits,
): DurableFunctions => {
  if (limits.orchestrators === undefined && limits.entities === undefined) return functions;
  const orchestrators = limit(limits.orchestrators);
  const entities = limit(limits.entities);
  return {
    find: (kind, name) => functions.find(kind, name),
    names: (kind) => functions.names(kind),
    runActivity: (...given) => functions.runActivity(...given),
    runOrchestrator: (...given) => orchestrators(async () => functions.runOrchestrator(...given)),
    runEntity: (name, trigger, onThrown) =>
      entities(async () => functions.runEntity(name, trigger, onThrown)),
  };
};
