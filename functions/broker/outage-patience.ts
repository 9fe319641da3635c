/** Keeps a message while an outage lasts: given back at once, it would use up its deliveries within a second. */
import { setTimeout as sleep } from "node:timers/promises";
import { isOutage } from "../../shared/platform/outage.js";
import type { Services } from "../kit/services.js";

/** Less than the five minutes for which the host renews a message's lock. */
const patienceMs = 240_000;
const firstPauseMs = 100;
const pauseMsMax = 1_000;

/**
 * Repeats work that is safe to run twice until nothing that it needs is away. Throws what it threw last where
 * that takes minutes: the message comes back then, with one delivery less.
 */
export const throughOutage = async <Value>(
  { note }: Pick<Services, "note">,
  name: string,
  work: () => Promise<Value>,
): Promise<Value> => {
  const deadlineMs = performance.now() + patienceMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error) || performance.now() > deadlineMs) throw error;
      note(`A message for ${name}`, error);
    }
    await sleep(pauseMs);
  }
};
