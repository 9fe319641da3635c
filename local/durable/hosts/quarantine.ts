/** Instances that cannot be read, or stored: why, since when, and how long each rests before it is tried again. */
import { errorLine } from "../../log-text.js";

const firstPauseMs = 5_000;
const longestPauseMs = 300_000;

export interface QuarantinedInstance {
  readonly instanceId: string;
  readonly reason: string;
  readonly since: Date;
}

interface Case extends QuarantinedInstance {
  readonly times: number;
}

export class Quarantine {
  readonly #cases = new Map<string, Case>();

  get all(): QuarantinedInstance[] {
    return [...this.#cases.values()].map(({ instanceId, reason, since }) => ({
      instanceId,
      reason,
      since,
    }));
  }

  get count(): number {
    return this.#cases.size;
  }

  note(instanceId: string, what: string, error: unknown): void {
    const reason = `${what}: ${errorLine(error).replaceAll(/\s+/gu, " ")}`;
    const { since = new Date(), times = 0 } = this.#cases.get(instanceId) ?? {};
    this.#cases.set(instanceId, { instanceId, reason, since, times: times + 1 });
    console.error(`durable: ${instanceId} ${reason}`);
  }

  /** Twice as long each time, five minutes at most. */
  pauseMs(instanceId: string): number {
    const { times = 1 } = this.#cases.get(instanceId) ?? {};
    return Math.min(firstPauseMs * 2 ** Math.min(times - 1, 10), longestPauseMs);
  }

  /** It is well again, or not here any more. */
  lift(instanceId: string): void {
    this.#cases.delete(instanceId);
  }
}
