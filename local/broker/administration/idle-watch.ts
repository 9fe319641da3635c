/** Deletes entities that nobody used for as long as they were made for (`AutoDeleteOnIdle`). */
import type { Directory } from "../entities/directory.js";
import type { Definition } from "../storage/definition-store.js";
import type { Catalog } from "./catalog.js";
import { idleMsOf } from "./descriptions.js";

export interface IdleClock {
  readonly nowMs: () => number;
  /** How often it is looked. */
  readonly everyMs: number;
}

export interface IdleWatchParts {
  readonly catalog: Catalog;
  readonly directory: Directory;
  readonly clock: IdleClock;
  readonly report: (error: unknown) => void;
}

/** The shortest idle time that may be asked for is five minutes. */
export const realIdleClock: IdleClock = { nowMs: Date.now, everyMs: 30_000 };

export class IdleWatch {
  readonly #parts: IdleWatchParts;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;

  constructor(parts: IdleWatchParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#look(), parts.clock.everyMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  #look(): void {
    this.#running ??= this.#deleteIdle()
      .catch(this.#parts.report)
      .finally(() => (this.#running = undefined));
  }

  async #deleteIdle(): Promise<void> {
    const { catalog } = this.#parts;
    for (const entry of [...catalog.all])
      if (this.#isIdle(entry))
        await catalog.deleteIf(entry.path, () => {
          const current = catalog.get(entry.path);
          return current !== undefined && this.#isIdle(current);
        });
  }

  #isIdle({ path, fields, updatedAtMs }: Definition): boolean {
    const idleMs = idleMsOf(fields);
    if (idleMs === null) return false;
    const { directory, clock } = this.#parts;
    const nowMs = clock.nowMs();
    // Whoever receives here uses it all the time, whether there is something to receive or not.
    const queues = [
      directory.queue(path),
      ...(directory.topic(path)?.subscriptions.map(({ queue }) => queue) ?? []),
    ].filter((queue) => queue !== undefined);
    for (const queue of queues)
      if (queue.forwarder === null && queue.hasReceivers) queue.usedAtMs = nowMs;
    const usedAtMs = Math.max(
      updatedAtMs,
      directory.destination(path)?.usedAtMs ?? 0,
      ...queues.map((queue) => queue.usedAtMs),
    );
    return nowMs - usedAtMs >= idleMs;
  }
}
