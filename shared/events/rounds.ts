/** Work in rounds: asked for at any moment, one round at a time; what is asked for during a round is the next one's. */
import { setTimeout as delay } from "node:timers/promises";
import { tracing } from "../platform/telemetry/tracing.js";

export interface Rounds {
  /** Begins a round, or has one more follow the one that is under way. */
  readonly ask: () => void;
  /** Asks so many milliseconds later, in place of what was to be asked later before; Infinity: not at all. */
  readonly askIn: (delayMs: number) => void;
  /** Settles when no round is under way. */
  readonly settled: () => Promise<void>;
  /** The round that is under way is the last one. */
  readonly close: () => void;
  readonly isClosed: () => boolean;
}

/** `round` never throws, and is of nobody's trace: it may last for longer than whoever asked. `restMs`: so long what is asked for gathers between two rounds. */
export const inRounds = (round: () => Promise<void>, restMs = 0): Rounds => {
  let asked = false;
  let closed = false;
  let running: Promise<void> | undefined;
  let later: NodeJS.Timeout | undefined;

  const isAsked = (): boolean => asked && !closed;

  const run = async (): Promise<void> => {
    while (isAsked()) {
      asked = false;
      await round();
      if (restMs > 0 && isAsked()) await delay(restMs);
    }
    running = undefined;
  };

  const ask = (): void => {
    asked = true;
    running ??= tracing.apart(run);
  };

  return {
    ask,
    askIn(delayMs) {
      clearTimeout(later);
      if (!closed && Number.isFinite(delayMs)) later = setTimeout(ask, delayMs).unref();
    },
    async settled() {
      await running;
    },
    close() {
      closed = true;
      clearTimeout(later);
    },
    isClosed: () => closed,
  };
};
