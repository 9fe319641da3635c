/** The durable engine: runs the orchestrations of one loaded app, with their state in PostgreSQL. */
import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { noteFailure } from "../failures.js";
import type { LocalClock } from "../clock.js";
import { ActivityRunner } from "./turns/activity-runner.js";
import { Client } from "./api/client.js";
import { clientBinding } from "./api/client-binding.js";
import { Committer } from "./storage/committer.js";
import type { DurableFunctions } from "./protocol/functions.js";
import type { HttpAnswer, HttpCall } from "./api/answer.js";
import { HttpApi } from "./api/routes.js";
import { limitedFunctions } from "./hosts/limited-functions.js";
import { InstanceKeys } from "./storage/instance-keys.js";
import { areOpen } from "./storage/lock-holders.js";
import { MessageIds } from "./storage/message-ids.js";
import { HostLease } from "./hosts/host-lease.js";
import { InstanceStore } from "./hosts/instance-store.js";
import { purgeFinished, removeOldWriters, removeStrayMessages } from "./storage/purge.js";
import { Registry } from "./hosts/registry.js";
import { createSchema } from "./storage/schema.js";
import { SetAside } from "./storage/set-aside.js";
import { defaults, type EngineSettings } from "./settings.js";
import { Timers } from "./hosts/timers.js";
import { withErrorListener } from "./storage/transaction.js";
import { EndWaiters } from "./turns/end-waiters.js";
import type { TurnServices } from "./turns/instance-host.js";
import type { WorkLog } from "./turns/work-log.js";

export interface EngineOptions {
  readonly pool: Pool;
  readonly hub: string;
  readonly functions: DurableFunctions;
  readonly clock: LocalClock;
  /** Where the host listens, such as http://127.0.0.1:7071. */
  readonly baseUrl: string;
  /** The `code` that opens the public management API. */
  readonly key: string;
  readonly settings?: EngineSettings;
  /** Hears of every failure and every further attempt. */
  readonly log?: WorkLog;
}

export interface EngineStatus {
  readonly instancesInMemory: number;
  readonly idleInstances: number;
  readonly openActivities: number;
  readonly nearTimers: number;
  readonly pendingCommits: number;
}

export interface DurableEngine {
  /** How many messages are set aside, and instances cannot be read or stored, as far as this host knows. */
  readonly setAside: number;
  /** JSON text for a durableClient input binding. */
  clientBinding(): string;
  /** Answers the durable HTTP API; null where the path is not ours. */
  handleHttp(call: HttpCall): Promise<HttpAnswer | null>;
  /**
   * Waits until nothing is runnable now, at most `timeoutMs`; resolves to how many instances have
   * moved since the clock jumped, or else since this was called.
   */
  settle(timeoutMs: number): Promise<number>;
  status(): EngineStatus;
  /** Waits ten seconds at most for what is under way. */
  stop(): Promise<void>;
  /** Stops as a crash would: nothing more is written, nothing is given up in order. */
  destroy(): Promise<void>;
}

/** So long a stop waits for what is under way; the next host begins again what takes longer. */
const drainMs = 10_000;

const purgeEveryMs = 3_600_000;

const sweeping = "Looking for work";
const purging = "Purging what has ended";

class Engine implements DurableEngine {
  readonly #options: EngineOptions;
  readonly #settings: EngineSettings & Required<Pick<EngineSettings, keyof typeof defaults>>;
  readonly #setAside: SetAside;
  readonly #committer: Committer;
  readonly #activities: ActivityRunner;
  readonly #lease: HostLease;
  readonly #timers: Timers;
  readonly #registry: Registry;
  readonly #waiters = new EndWaiters();
  readonly #http: HttpApi;
  readonly #rpcPath = `/durabletask/${randomUUID()}/`;
  /** Instances that have moved since the clock jumped; absent while nobody will ask. */
  #moved: Set<string> | undefined;
  readonly #unsubscribe: () => void;
  #intervals: NodeJS.Timeout[] = [];
  #isStopping = false;

  constructor(options: EngineOptions, messageIds: MessageIds) {
    const { pool, hub, clock } = options;
    this.#options = options;
    this.#settings = { ...defaults, ...options.settings };
    const functions = limitedFunctions(options.functions, {
      orchestrators: this.#settings.concurrentOrchestrators,
      entities: this.#settings.concurrentEntities,
    });
    this.#lease = new HostLease(pool, hub, this.#settings.sweepMs);
    this.#setAside = new SetAside(pool, hub, this.#lease);
    this.#committer = new Committer(pool, hub, this.#lease, () => this.#lookForWork());
    this.#activities = new ActivityRunner(functions, this.#settings.concurrentActivities);
    this.#timers = new Timers(pool, hub, this.#lease, clock, this.#setAside);
    const services: TurnServices = {
      functions,
      clock,
      keepsSessions: this.#settings.keepSessions,
      versions: this.#settings.versions,
      entityBatchMax: this.#settings.entityBatchMax,
      commit: async (change, signal) => this.#committer.commit(change, signal),
      areOpen: async (holders) => areOpen(pool, hub, holders),
      nextMessageId: () => messageIds.next(),
      setAside: async (messages) => this.#setAside.put(messages),
      isStopping: () => this.#isStopping,
      log: options.log ?? (() => undefined),
      startActivity: (job) => this.#activities.start(job),
    };
    this.#registry = new Registry({
      services,
      store: new InstanceStore(pool, hub, this.#lease, this.#setAside),
      timers: this.#timers,
      instanceKeys: new InstanceKeys(pool),
      idleMax: this.#settings.idleInstances,
      onMoved: (id, end) => {
        this.#moved?.add(id);
        if (end !== undefined) this.#waiters.ended(id, end);
      },
    });
    this.#http = new HttpApi({
      ...options,
      client: new Client(pool, hub, services, this.#registry),
      setAside: this.#setAside,
      registry: this.#registry,
      waiters: this.#waiters,
      rpcPath: this.#rpcPath,
      replacesRunning: this.#settings.replacesRunning,
    });
    this.#unsubscribe = clock.onJump(() => {
      this.#moved = new Set();
      this.#timers.reread();
    });
  }

  async start(): Promise<void> {
    await this.#lease.start({
      onMessage: (id) => this.#registry.changed(id),
      onTakeover: () => this.#takeOver(),
      onLost: () => this.#registry.lost(),
    });
    this.#timers.start((due) => this.#registry.due(due));
    const every = (ms: number, what: string, work: () => Promise<unknown>): void => {
      const interval = setInterval(
        () => void work().catch((error: unknown) => noteFailure(what, error)),
        ms,
      );
      this.#intervals.push(interval.unref());
    };
    every(2 * this.#settings.sweepMs, sweeping, async () => {
      await this.#registry.sweepInTurn();
      await this.#setAside.recount();
    });
    const { pool, hub } = this.#options;
    void removeStrayMessages(pool, hub).catch((error: unknown) =>
      noteFailure("Removing stray messages", error),
    );
    void removeOldWriters(pool).catch((error: unknown) =>
      noteFailure("Removing old writers", error),
    );
    const { keepFinishedMs } = this.#settings;
    if (keepFinishedMs === 0) return;
    const purge = async (): Promise<unknown> => purgeFinished(pool, keepFinishedMs);
    every(purgeEveryMs, purging, purge);
    // A host that is never up for an hour purges, too.
    void purge().catch((error: unknown) => noteFailure(purging, error));
  }

  #takeOver(): void {
    this.#timers.reread();
    this.#lookForWork();
  }

  #lookForWork(): void {
    void this.#registry.sweep().catch((error: unknown) => noteFailure(sweeping, error));
  }

  get setAside(): number {
    return this.#setAside.count + this.#registry.quarantinedCount;
  }

  clientBinding(): string {
    return clientBinding({ ...this.#options, rpcPath: this.#rpcPath });
  }

  async handleHttp(call: HttpCall): Promise<HttpAnswer | null> {
    return this.#http.handle(call);
  }

  #isQuiet(): boolean {
    return (
      !this.#lease.isSweeping &&
      !this.#registry.isBusy &&
      this.#committer.pending === 0 &&
      this.#activities.open === 0 &&
      !this.#timers.isBehind
    );
  }

  async settle(timeoutMs: number): Promise<number> {
    const deadline = Date.now() + timeoutMs;
    this.#moved ??= new Set();
    this.#timers.tick();
    while (!this.#isQuiet() && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const count = this.#moved.size;
    this.#moved = undefined;
    return count;
  }

  status(): EngineStatus {
    return {
      instancesInMemory: this.#registry.size,
      idleInstances: this.#registry.idle,
      openActivities: this.#activities.open,
      nearTimers: this.#timers.size,
      pendingCommits: this.#committer.pending,
    };
  }

  /** Begins nothing any more, waits until what is under way has ended and is on disk, and ends. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#timers.stop();
    this.#registry.drain();
    this.#activities.drain();
    const deadline = Date.now() + drainMs;
    while (!this.#isDrained() && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await this.#end(true);
  }

  #isDrained(): boolean {
    return (
      this.#activities.running === 0 && !this.#registry.isTurning && this.#committer.pending === 0
    );
  }

  async destroy(): Promise<void> {
    await this.#end(false);
  }

  async #end(gracefully: boolean): Promise<void> {
    this.#unsubscribe();
    for (const interval of this.#intervals) clearInterval(interval);
    this.#registry.stop();
    this.#committer.stop();
    this.#activities.stop();
    this.#timers.stop();
    this.#waiters.stop();
    await this.#lease.stop(gracefully);
  }
}

/** To be called once the app's files are loaded; open orchestrations go on at once. */
export const startEngine = async (options: EngineOptions): Promise<DurableEngine> => {
  // From its first moment on: between its connection and its first use, a client may be cut, too.
  options.pool.on("connect", withErrorListener);
  await createSchema(options.pool);
  const engine = new Engine(options, await MessageIds.open(options.pool));
  await engine.start();
  return engine;
};
