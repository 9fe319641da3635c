/**
 * Keeps an entity's lock from those who are not there any more. A request goes from entity to entity, and
 * its asker may end meanwhile: the release that it then sends to each of them comes to some before the
 * request does. So each request is looked at once after it has come. What is open then and ends later
 * sends its release later, and finds the request here.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "../protocol/messages.js";
import { isOutage } from "../../../shared/platform/outage.js";
import { holds, isLockRequest, lockerOf, type Lock } from "./entity-turn.js";

const retryMs = 200;

type AreOpen = (holders: readonly Lock[]) => Promise<boolean[]>;

export class LockChecks {
  readonly #areOpen: AreOpen;
  /** Requests whose asker was open after they had come, by number. */
  #passed: ReadonlySet<number> = new Set();
  /** A lock as it was read from disk: an earlier engine lost releases, so its holder may have ended. */
  #unknown: Lock | undefined;
  #abandoned: Lock | undefined;

  constructor(areOpen: AreOpen, lock: Lock | undefined) {
    this.#areOpen = areOpen;
    this.#unknown = lock;
  }

  /** True where what waits might go on although the entity is locked. */
  isNeeded(inbox: ReadonlyMap<number, Message>, lock: Lock | undefined): boolean {
    return inbox.size > 0 && lock !== undefined && [this.#unknown, this.#abandoned].includes(lock);
  }

  /** The lock as it stands, and the requests that are not to be granted. */
  async run(
    messages: readonly Message[],
    lock: Lock | undefined,
    isGone: () => boolean,
  ): Promise<{ readonly lock: Lock | undefined; readonly ended: ReadonlySet<number> }> {
    const waiting = messages.filter(isLockRequest);
    const requests = waiting.filter(({ id }) => !this.#passed.has(id));
    const unknown = this.#unknown === undefined ? [] : [this.#unknown];
    const open = await this.#ask([...requests.map(lockerOf), ...unknown], isGone);
    if (unknown.length > 0 && open.pop() === false) this.#abandoned = this.#unknown;
    this.#unknown = undefined;
    const ended = new Set(requests.flatMap(({ id }, index) => (open[index] === true ? [] : [id])));
    this.#passed = new Set(waiting.flatMap(({ id }) => (ended.has(id) ? [] : [id])));
    // What its holder has still sent goes first.
    const isLeft = lock === this.#abandoned && !messages.some(({ body }) => holds(lock, body));
    return { lock: isLeft ? undefined : lock, ended };
  }

  async #ask(holders: readonly Lock[], isGone: () => boolean): ReturnType<AreOpen> {
    if (holders.length === 0) return [];
    for (;;) {
      try {
        return await this.#areOpen(holders);
      } catch (error) {
        if (isGone() || !isOutage(error)) throw error;
        await sleep(retryMs, undefined, { ref: false });
      }
    }
  }
}
