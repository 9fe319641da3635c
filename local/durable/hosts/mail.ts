/** Fetches messages that lie in the database for instances in memory, many at a time, in the order of their arrival. */
import { setTimeout as sleep } from "node:timers/promises";
import { noteFailure } from "../../failures.js";
import type { InstanceStore } from "./instance-store.js";
import type { Mail } from "../storage/instance-rows.js";

/** So many instances are asked for at once. */
const batchMax = 500;
const retryMs = 2;
const outageMs = 200;

export interface MailEvents {
  /** False where memory and database are not at the same turn, so that it has to be asked again. */
  delivered(mail: Mail): boolean;
  /** It is not this host's any more, or has ended. */
  unowned(instanceId: string): void;
}

export class MailFetcher {
  readonly #store: InstanceStore;
  readonly #events: MailEvents;
  #wanted = new Set<string>();
  #isFetching = false;
  #stopped = false;

  constructor(store: InstanceStore, events: MailEvents) {
    this.#store = store;
    this.#events = events;
  }

  get isBusy(): boolean {
    return this.#isFetching;
  }

  stop(): void {
    this.#stopped = true;
    this.#wanted.clear();
  }

  want(instanceId: string): void {
    if (this.#stopped) return;
    this.#wanted.add(instanceId);
    if (!this.#isFetching) void this.#fetch();
  }

  async #fetch(): Promise<void> {
    this.#isFetching = true;
    while (this.#wanted.size > 0 && !this.#stopped) {
      const ids = [...this.#wanted].slice(0, batchMax);
      for (const id of ids) this.#wanted.delete(id);
      const again = await this.#read(ids);
      if (again.length === ids.length) await sleep(retryMs, undefined, { ref: false });
      for (const id of again) this.#wanted.add(id);
    }
    this.#isFetching = false;
  }

  /** Resolves to those that have to be asked for again. */
  async #read(ids: readonly string[]): Promise<readonly string[]> {
    let mails: Mail[];
    try {
      mails = await this.#store.mail(ids);
    } catch (error) {
      noteFailure("Fetching messages", error);
      await sleep(outageMs, undefined, { ref: false });
      return ids;
    }
    if (this.#stopped) return [];
    const found = new Set(mails.map(({ id }) => id));
    for (const id of ids) if (!found.has(id)) this.#events.unowned(id);
    return mails.filter((mail) => !this.#events.delivered(mail)).map(({ id }) => id);
  }
}
