/** Tells those who wait for an instance when it may have ended. */
export class EndWaiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Resolves when the instance ends, or after `timeoutMs`, whichever is first. */
  async wait(instanceId: string, timeoutMs: number): Promise<void> {
    const waiting = this.#waiting.get(instanceId) ?? new Set();
    this.#waiting.set(instanceId, waiting);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    if (this.#waiting.get(instanceId) === waiting) this.#waiting.delete(instanceId);
  }

  ended(instanceId: string): void {
    for (const tell of this.#waiting.get(instanceId) ?? []) tell();
  }

  stop(): void {
    for (const id of [...this.#waiting.keys()]) this.ended(id);
  }
}
