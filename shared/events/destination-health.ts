/** Remembers which destinations refuse messages at the moment, and when to try them again. */

interface Failing {
  readonly failures: number;
  readonly retryAt: number;
}

const firstDelayMs = 100;
const longestDelayMs = 5_000;

export class DestinationHealth {
  readonly #failing = new Map<string, Failing>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Not to be tried yet. */
  isSuspended(destination: string): boolean {
    const failing = this.#failing.get(destination);
    return failing !== undefined && failing.retryAt > this.#now();
  }

  suspended(): string[] {
    return [...this.#failing.keys()].filter((destination) => this.isSuspended(destination));
  }

  /** Failed when last tried: a single message is enough to find out whether it is back. */
  isFailing(destination: string): boolean {
    return this.#failing.has(destination);
  }

  /** True when it had been failing. */
  succeeded(destination: string): boolean {
    return this.#failing.delete(destination);
  }

  /** How many times in a row it has failed by now. */
  failed(destination: string): number {
    const failures = (this.#failing.get(destination)?.failures ?? 0) + 1;
    const delayMs = Math.min(firstDelayMs * 2 ** (failures - 1), longestDelayMs);
    this.#failing.set(destination, { failures, retryAt: this.#now() + delayMs });
    return failures;
  }

  /** Milliseconds until the next destination may be tried; undefined when none is suspended. */
  nextRetryInMs(): number | undefined {
    const waits = [...this.#failing.values()]
      .map(({ retryAt }) => retryAt - this.#now())
      .filter((waitMs) => waitMs > 0);
    return waits.length === 0 ? undefined : Math.min(...waits);
  }
}
