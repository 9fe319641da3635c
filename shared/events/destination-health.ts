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

  /** Failed when last tried, so that others should not wait for it. */
  failing(): string[] {
    return [...this.#failing.keys()];
  }

  /** Failing, and to be tried again by now, the longest due first: one message is enough to find out whether it is back. */
  due(): string[] {
    const nowMs = this.#now();
    return [...this.#failing]
      .filter(([, { retryAt }]) => retryAt <= nowMs)
      .sort(([, one], [, other]) => one.retryAt - other.retryAt)
      .map(([name]) => name);
  }

  /** True when it had been failing. */
  succeeded(destination: string): boolean {
    return this.#failing.delete(destination);
  }

  /** How many times in a row it has failed by now. */
  failed(destination: string): number {
    const failures = (this.#failing.get(destination)?.failures ?? 0) + 1;
    this.#retryLater(destination, failures);
    return failures;
  }

  /** There was nothing to try it with: somebody else does, or nothing waits for it. */
  untried(destination: string): void {
    const failing = this.#failing.get(destination);
    if (failing !== undefined) this.#retryLater(destination, failing.failures);
  }

  #retryLater(destination: string, failures: number): void {
    const delayMs = Math.min(firstDelayMs * 2 ** (failures - 1), longestDelayMs);
    this.#failing.set(destination, { failures, retryAt: this.#now() + delayMs });
  }

  /** Milliseconds until the next destination may be tried; undefined when none is to be waited for. */
  nextRetryInMs(): number | undefined {
    const waits = [...this.#failing.values()]
      .map(({ retryAt }) => retryAt - this.#now())
      .filter((waitMs) => waitMs > 0);
    return waits.length === 0 ? undefined : Math.min(...waits);
  }
}
