/** What a client may ask of the engine: start, raise, stop, look. Answers come after the commit. */
import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import type { Change, Committed, NewInstance } from "../storage/change.js";
import { newEntity } from "../turns/command-effects.js";
import { InstanceReader } from "../storage/instance-reader.js";
import type { InstanceRow } from "../storage/instance-rows.js";
import type { MessageBody } from "../protocol/messages.js";
import { callTimeoutMs, withTimeout } from "../storage/time-limit.js";
import { isFinal, type RuntimeStatus } from "../protocol/protocol.js";
import { removeInstances } from "../storage/purge.js";
import type { Registry } from "../hosts/registry.js";
import type { TurnServices } from "../turns/instance-host.js";
import { rewind } from "../storage/rewind.js";

export interface StartRequest {
  readonly name: string;
  readonly id: string;
  /** True where the id was made up for this start, so that nobody else can have it. */
  readonly isNewId?: boolean;
  /** JSON text; absent where there is none. */
  readonly input?: string | undefined;
  readonly version?: string | undefined;
  readonly traceParent?: string | undefined;
}

export type Started =
  | { readonly ok: true; readonly id: string }
  | { readonly ok: false; readonly status: RuntimeStatus };

export type SendOutcome = "sent" | "unknown" | "ended";

export const newInstanceId = (): string => randomUUID().replaceAll("-", "");

export class Client {
  readonly #pool: Pool;
  readonly #hub: string;
  readonly #services: TurnServices;
  readonly #registry: Registry;
  readonly #reader: InstanceReader;

  constructor(pool: Pool, hub: string, services: TurnServices, registry: Registry) {
    this.#pool = pool;
    this.#hub = hub;
    this.#services = services;
    this.#registry = registry;
    this.#reader = new InstanceReader(pool, hub);
  }

  /** Milliseconds of the engine's clock. */
  now(): number {
    return this.#services.clock.now();
  }

  async find(id: string): Promise<InstanceRow | undefined> {
    return this.#reader.find(id);
  }

  async start({ name, id, isNewId, input, version, traceParent }: StartRequest): Promise<Started> {
    const instance: NewInstance = {
      id,
      kind: "orchestration",
      executionId: newInstanceId(),
      name,
      version: version ?? this.#services.versions.defaultVersion,
      status: "Pending",
      input,
      traceParent,
    };
    const at = new Date(this.now());
    const begin = async (signal: AbortSignal): Promise<boolean> =>
      this.#registry.begin(instance, at, signal);
    if (isNewId === true && (await this.#patiently(begin))) return { ok: true, id };
    const committed = await this.#commit({ at, instances: [instance] });
    if (committed.created.get(id)?.executionId !== instance.executionId)
      return { ok: false, status: (await this.find(id))?.status ?? "Running" };
    this.#registry.created([instance], committed);
    return { ok: true, id };
  }

  /** Leaves a message for an open orchestration; entities take signals instead. */
  async send(id: string, body: MessageBody): Promise<SendOutcome> {
    if (!this.#registry.holds(id)) {
      const instance = await this.find(id);
      if (instance === undefined) return "unknown";
      if (isFinal(instance.status)) return "ended";
    }
    await this.#send(id, body);
    return "sent";
  }

  /** Resolves when the failed instance, and what failed below it, is on its way again. */
  async rewind(id: string, reason: string): Promise<void> {
    const nextMessageId = (): number => this.#services.nextMessageId();
    const ids = await rewind(this.#pool, { hub: this.#hub, id, reason, nextMessageId });
    for (const each of ids) this.#registry.changed(each);
  }

  async purge({ id, key, kind }: InstanceRow): Promise<number> {
    const removed = await removeInstances(this.#pool, [key]);
    this.#registry.removed(id, Number(key));
    // An entity that is still wanted has lost its state only.
    if (kind === "entity" && removed > 0) this.#registry.changed(id);
    return removed;
  }

  async signal(entityId: string, operation: string, input: string | undefined): Promise<void> {
    const more = input === undefined ? {} : { input };
    const body: MessageBody = { type: "operation", id: randomUUID(), operation, ...more };
    await this.#send(entityId, body, [newEntity(entityId)]);
  }

  async #commit(change: Change): Promise<Committed> {
    return this.#patiently(async (signal) => this.#services.commit(change, signal));
  }

  /** A client that has stopped waiting may ask again, so what it asked for must not come late. */
  async #patiently<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const withdrawal = new AbortController();
    try {
      return await withTimeout(callTimeoutMs, work(withdrawal.signal));
    } catch (error) {
      withdrawal.abort();
      throw error;
    }
  }

  async #send(target: string, body: MessageBody, instances: NewInstance[] = []): Promise<void> {
    const message = { id: this.#services.nextMessageId(), target, body };
    const at = new Date(this.now());
    const committed = await this.#commit({ at, messages: [message], instances });
    this.#registry.created(instances, committed);
    this.#registry.sent([message], committed);
  }
}
