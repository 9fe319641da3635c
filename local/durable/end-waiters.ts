/** Tells those who wait for an instance when it has ended. */
import { setTimeout as sleep } from "node:timers/promises";

export interface EndWatch {
  /** Resolves when the instance ends, or after `timeoutMs`, whichever is first. */
  within(timeoutMs: number): Promise<void>;
  stop(): void;
}

export class EndWaiters {
  readonly #watchers = new Map<string, Set<() => void>>();

  /** Watches from now on: an end between this call and the wait is not missed. */
  watch(instanceId: string): EndWatch {
    const watchers = this.#watchers.get(instanceId) ?? new Set();
    this.#watchers.set(instanceId, watchers);
    const controller = new AbortController();
    const tell = (): void => controller.abort();
    watchers.add(tell);
    return {
      within: (timeoutMs) =>
        sleep(timeoutMs, undefined, { signal: controller.signal }).catch(() => undefined),
      stop: () => {
        watchers.delete(tell);
        if (watchers.size === 0) this.#watchers.delete(instanceId);
      },
    };
  }

  ended(instanceId: string): void {
    for (const tell of this.#watchers.get(instanceId) ?? []) tell();
  }

  stop(): void {
    for (const id of this.#watchers.keys()) this.ended(id);
  }
}
