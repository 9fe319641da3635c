/** Tells those who wait for an instance when it has ended, and how. */
import type { FinalStatus } from "../protocol/protocol.js";

export interface InstanceEnd {
  readonly status: FinalStatus;
  /** JSON text. */
  readonly output: string | undefined;
}

type Tell = (end: InstanceEnd | undefined) => void;

/** One wait for the end of an instance; an end between the watch's start and the wait counts. */
export class EndWatch {
  readonly #stop: () => void;
  #end: InstanceEnd | undefined;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(watchers: Map<string, Set<Tell>>, instanceId: string) {
    const tell: Tell = (end) => {
      this.#end = end;
      this.#isOver = true;
      this.#wake?.();
    };
    const others = watchers.get(instanceId) ?? new Set();
    watchers.set(instanceId, others.add(tell));
    this.#stop = () => {
      others.delete(tell);
      if (others.size === 0 && watchers.get(instanceId) === others) watchers.delete(instanceId);
    };
  }

  /** Resolves when the instance ends in this process, with its end, or else after `timeoutMs`. */
  async next(timeoutMs: number): Promise<InstanceEnd | undefined> {
    if (!this.#isOver)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    const end = this.#end;
    // A later life of the same id may be waited for with the same watch.
    this.#isOver = false;
    this.#end = undefined;
    return end;
  }

  stop(): void {
    this.#stop();
  }
}

export class EndWaiters {
  readonly #watchers = new Map<string, Set<Tell>>();

  watch(instanceId: string): EndWatch {
    return new EndWatch(this.#watchers, instanceId);
  }

  ended(instanceId: string, end?: InstanceEnd): void {
    for (const tell of this.#watchers.get(instanceId) ?? []) tell(end);
  }

  /** Nobody has to wait any longer: what is asked for now can only be read. */
  stop(): void {
    for (const id of this.#watchers.keys()) this.ended(id);
  }
}
