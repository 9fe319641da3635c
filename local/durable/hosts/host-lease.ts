/** The lease of a host on its instances: a row per host, alive as long as its connection to the database. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { noteFailure } from "../../failures.js";
import { withErrorListener } from "../storage/transaction.js";

/** The first number of the two-part advisory locks by which hosts show that they are alive. */
const lockSpace = 0x64757261;

export interface LeaseEvents {
  /** Another host has written a message for this instance of ours, or for all of them. */
  readonly onMessage: (instanceId: string) => void;
  /** A host has died: what it wrote last may be announced to nobody, and instances of it may be ours now. */
  readonly onTakeover: () => void;
  /** The connection was lost and with it, maybe, everything that we owned. */
  readonly onLost: () => void;
}

interface Notice {
  readonly hub: string;
  readonly owner: string;
  readonly id: string;
}

const parseNotice = (payload: string | undefined): Partial<Notice> => {
  try {
    return JSON.parse(payload ?? "{}") as Partial<Notice>;
  } catch {
    // Not one of ours: anybody may notify on this channel.
    return {};
  }
};

const looking = "Looking for dead hosts";

/**
 * An owner of open instances that is no host any more, if there is one. It steps from owner to owner
 * in the index: to look at every instance would cost too much, and hosts may come and go unseen.
 */
const orphan = `
  with recursive owners as (
    (select owner from durable.instance where hub = $1 and completed_at is null
     order by owner limit 1)
    union all
    select (select i.owner from durable.instance i
      where i.hub = $1 and i.completed_at is null and i.owner > o.owner order by i.owner limit 1)
    from owners o where o.owner is not null)
  select owner from owners o
  where o.owner is not null and not exists (select from durable.host h where h.id = o.owner)
  limit 1`;

/**
 * The lock belongs to a session of the database: when the process dies, however it dies, the server
 * frees the lock, and the next host may take over without waiting for any lease to run out.
 */
export class HostLease {
  readonly #pool: pg.Pool;
  readonly #hub: string;
  readonly #sweepMs: number;
  #events: LeaseEvents | undefined;
  #client: pg.PoolClient | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  #sweeps = 0;
  #stopped = false;
  hostId = randomUUID();

  constructor(pool: pg.Pool, hub: string, sweepMs: number) {
    this.#pool = pool;
    this.#hub = hub;
    this.#sweepMs = sweepMs;
  }

  /** True while it may turn out that instances of dead hosts are ours. */
  get isSweeping(): boolean {
    return this.#sweeps > 0;
  }

  /** `events` is told from now on what happens to the lease. */
  async start(events: LeaseEvents): Promise<void> {
    this.#events = events;
    await this.#register();
    // Not awaited: of a hundred thousand instances that sleep, no caller has to know the owner.
    const sweep = (): void =>
      void this.#sweep().catch((error: unknown) => noteFailure(looking, error));
    sweep();
    this.#sweeper = setInterval(sweep, this.#sweepMs);
    this.#sweeper.unref();
  }

  /** `gracefully` gives the instances up, so that the next host need not ask who is alive. */
  async stop(gracefully: boolean): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#sweeper);
    const client = this.#client;
    this.#client = undefined;
    try {
      if (gracefully) await client?.query("delete from durable.host where id = $1", [this.hostId]);
    } catch (error) {
      // The next host sees that the lock is free.
      noteFailure("Giving instances up", error);
    } finally {
      client?.release(true);
    }
  }

  /** Tells the owners of instances that something has arrived for these. */
  async notify(
    instances: readonly { readonly id: string; readonly owner: string }[],
  ): Promise<void> {
    if (instances.length === 0) return;
    const notices = instances.map(({ id, owner }): string => {
      const notice: Notice = { hub: this.#hub, owner, id };
      return JSON.stringify(notice);
    });
    await this.#pool.query("select pg_notify('durable', n) from unnest($1::text[]) n", [notices]);
  }

  async #register(): Promise<void> {
    const client = withErrorListener(await this.#pool.connect());
    try {
      await this.#announce(client);
    } catch (error) {
      client.release(true);
      throw error;
    }
    if (this.#stopped) {
      client.release(true);
      return;
    }
    client.on("notification", ({ payload }) => {
      const notice = parseNotice(payload);
      if (notice.hub !== this.#hub || notice.owner !== this.hostId) return;
      if (notice.id !== undefined) this.#events?.onMessage(notice.id);
    });
    client.once("end", () => {
      if (this.#client !== client) return;
      client.release(true);
      void this.#reconnect();
    });
    this.#client = client;
  }

  /** One transaction: the row may not be seen before the lock is held, or it looks dead. */
  async #announce(client: pg.PoolClient): Promise<void> {
    this.hostId = randomUUID();
    await client.query("begin");
    const { rows } = await client.query<{ lock_key: string }>(
      "insert into durable.host (id, hub) values ($1, $2) returning lock_key",
      [this.hostId, this.#hub],
    );
    await client.query("select pg_advisory_lock($1, $2)", [lockSpace, Number(rows[0]?.lock_key)]);
    await client.query("commit");
    await client.query("listen durable");
  }

  /** A host that lost its lock may have been declared dead: it comes back as a new one. */
  async #reconnect(): Promise<void> {
    this.#client = undefined;
    this.#events?.onLost();
    while (!this.#stopped && !(await this.#tryToRegister())) await sleep(200);
    // Where it fails the sweeper repeats it: registered twice, one host would pass for two.
    await this.#sweep().catch((error: unknown) => noteFailure(looking, error));
  }

  async #tryToRegister(): Promise<boolean> {
    return this.#register().then(
      () => true,
      (error: unknown) => {
        noteFailure("Announcing this host", error);
        return false;
      },
    );
  }

  async #sweep(): Promise<void> {
    const client = this.#client;
    // While a database stands still, one look waits for it and not one for every interval.
    if (client === undefined || this.#sweeps > 0) return;
    this.#sweeps++;
    await this.#takeOver(client).finally(() => this.#sweeps--);
  }

  /** Buries the dead, and takes what belonged to hosts that are no longer there. */
  async #takeOver(client: pg.PoolClient): Promise<void> {
    const { rows } = await client.query<{ id: string; lock_key: string; alive: boolean }>(
      `select h.id, h.lock_key, exists (
         select from pg_locks l where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
           and l.database = (select oid from pg_database where datname = current_database())
           and l.classid = $1 and l.objid = h.lock_key) as alive
       from durable.host h`,
      [lockSpace],
    );
    const dead = rows.filter(({ alive }) => !alive).map(({ id }) => id);
    if (dead.length > 0) await client.query("delete from durable.host where id = any($1)", [dead]);
    const { rows: orphans } = await client.query(orphan, [this.#hub]);
    if (orphans.length === 0) {
      if (dead.length > 0) this.#events?.onTakeover();
      return;
    }
    const { rowCount } = await client.query(
      `update durable.instance i set owner = $2, epoch = i.epoch + 1
       where i.hub = $1 and i.completed_at is null and i.owner is distinct from $2
         and not exists (select from durable.host h where h.id = i.owner)`,
      [this.#hub, this.hostId],
    );
    if (dead.length > 0 || (rowCount ?? 0) > 0) this.#events?.onTakeover();
  }
}
