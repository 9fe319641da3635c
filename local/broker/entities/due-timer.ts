/** Does work when its time has come: the earliest of the times that it was told, then the next one. */

const longestTimerMs = 2_147_483_647;
const retryMs = 1000;

export interface DueTimerParts {
  /** Does what is due and answers when there is more to do, or Infinity. */
  readonly work: () => Promise<number>;
  /** The work is not done more often than this. */
  readonly everyMs: number;
  readonly report: (error: unknown) => void;
}

export class DueTimer {
  readonly #parts: DueTimerParts;
  #timer: NodeJS.Timeout | undefined;
  #nextMs = Infinity;
  #notBeforeMs = 0;
  #working: Promise<void> | undefined;
  /** Its time came while it worked. */
  #isDueAgain = false;
  #isStopped = false;

  constructor(parts: DueTimerParts) {
    this.#parts = parts;
  }

  wake(timeMs: number): void {
    const atMs = Math.max(timeMs, this.#notBeforeMs);
    if (this.#isStopped || atMs >= this.#nextMs) return;
    this.#nextMs = atMs;
    clearTimeout(this.#timer);
    const delayMs = Math.min(Math.max(0, atMs - Date.now()), longestTimerMs);
    this.#timer = setTimeout(() => this.#fire(), delayMs);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#working;
  }

  #fire(): void {
    this.#nextMs = Infinity;
    this.#notBeforeMs = Date.now() + this.#parts.everyMs;
    if (this.#working !== undefined) {
      this.#isDueAgain = true;
      return;
    }
    this.#isDueAgain = false;
    this.#working = this.#work().finally(() => {
      this.#working = undefined;
      // What came last may have come after the work had looked for the next time.
      if (this.#isDueAgain) this.wake(Date.now());
    });
  }

  async #work(): Promise<void> {
    try {
      const nextMs = await this.#parts.work();
      if (nextMs < Infinity) this.wake(nextMs);
    } catch (error) {
      this.#parts.report(error);
      this.wake(Date.now() + retryMs);
    }
  }
}
