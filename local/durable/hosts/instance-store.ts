/** The instances of one hub in the database, as the host that holds a lease on them sees them. */
import type { Pool } from "pg";
import type { HostLease } from "./host-lease.js";
import {
  claimInstances,
  instancesWithWork,
  readMail,
  type Claimed,
  type Mail,
  type WorkPage,
} from "../storage/instance-rows.js";
import type { SetAside } from "../storage/set-aside.js";
import { keptCondition } from "../storage/unread-messages.js";

export class InstanceStore {
  readonly #pool: Pool;
  readonly #hub: string;
  readonly #lease: HostLease;
  readonly #setAside: SetAside;

  constructor(pool: Pool, hub: string, lease: HostLease, setAside: SetAside) {
    this.#pool = pool;
    this.#hub = hub;
    this.#lease = lease;
    this.#setAside = setAside;
  }

  /** The open instances among `ids` that are this host's, or have just become so. */
  async claim(ids: readonly string[]): Promise<Claimed> {
    const claimed = await claimInstances(this.#pool, this.#hub, this.#lease.hostId, ids);
    await this.#setAside.put(claimed.spoiled);
    return claimed;
  }

  /** What lies in the database for those among `ids` that are this host's. */
  async mail(ids: readonly string[]): Promise<Mail[]> {
    const mails = await readMail(this.#pool, this.#hub, this.#lease.hostId, ids);
    await this.#setAside.put(mails.flatMap(({ spoiled }) => spoiled));
    return mails;
  }

  /** A page of this host's instances that could go on, behind `after`. */
  async withWork(after: string, limit: number): Promise<WorkPage> {
    return instancesWithWork(this.#pool, this.#hub, this.#lease.hostId, after, limit);
  }

  /**
   * Tells the owners elsewhere. What was meant for an instance that has ended, or is there no more, is thrown
   * away: a later life of the id would take it for its own.
   */
  async passOn(ids: readonly string[]): Promise<void> {
    await this.#pool.query(
      `delete from durable.message m where m.hub = $1 and m.instance_id = any($2)
         and not exists (select from durable.instance i
           where i.hub = m.hub and i.id = m.instance_id
             and (i.completed_at is null or ${keptCondition("i.status", "m.type")}))`,
      [this.#hub, ids],
    );
    const { rows } = await this.#pool.query<{ id: string; owner: string }>(
      `select id, owner from durable.instance
       where hub = $1 and id = any($2) and completed_at is null and owner <> $3`,
      [this.#hub, ids, this.#lease.hostId],
    );
    await this.#lease.notify(rows);
  }
}
