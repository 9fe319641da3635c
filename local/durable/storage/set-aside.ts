/** Messages that cannot be read, or whose effect cannot be stored, wait here for a person: one by one. */
import { DatabaseError, type Pool } from "pg";
import { errorLine } from "../../log-text.js";
import type { HostIdentity } from "./committer.js";

/** Classes of SQLSTATE: 22 a value that no column takes, 54 one that is beyond a limit. */
const refusedValue = /^(?:22|54)/u;

/** True where what was to be written is at fault, so that it is refused however often it is tried. */
export const isRefusedValue = (error: unknown): boolean =>
  error instanceof DatabaseError && refusedValue.test(error.code ?? "");

const shownBodyMax = 4_000;

export interface SpoiledMessage {
  /** The message's number. */
  readonly id: string;
  readonly instanceId: string;
  readonly error: unknown;
}

/** As it is shown; the body is cut off after 4,000 characters. */
export interface SetAsideMessage {
  readonly id: string;
  readonly instanceId: string;
  readonly type: string | null;
  readonly reason: string;
  readonly setAsideAt: Date;
  readonly body: string;
}

const columns =
  "id, hub, instance_id, execution_id, due_at, type, asker_execution, body, place" as const;

/** Only what belongs to this host's instances: whoever has lost them takes nothing from the next owner. */
const put = `
  with spoiled as (select * from unnest($3::bigint[], $4::text[]) as u(id, reason)),
    held as (select i.id from durable.instance i
      where i.hub = $1 and i.owner = $2
        and i.id in (select m.instance_id from durable.message m join spoiled s on s.id = m.id)
      for update),
    gone as (delete from durable.message m using held h
      where m.hub = $1 and m.instance_id = h.id and m.id in (select id from spoiled)
      returning m.*)
  insert into durable.set_aside (${columns}, reason)
  select ${columns
    .split(", ")
    .map((name) => `g.${name}`)
    .join(", ")}, s.reason from gone g join spoiled s on s.id = g.id
  returning id, instance_id, reason`;

const returnToInstance = `
  with gone as (delete from durable.set_aside a using durable.instance i
      where a.hub = $1 and a.id = $2
        and i.hub = a.hub and i.id = a.instance_id and i.completed_at is null
      returning a.*)
  insert into durable.message (${columns}) select ${columns} from gone returning instance_id`;

export class SetAside {
  readonly #pool: Pool;
  readonly #hub: string;
  readonly #host: HostIdentity;
  #count = 0;

  constructor(pool: Pool, hub: string, host: HostIdentity) {
    this.#pool = pool;
    this.#hub = hub;
    this.#host = host;
  }

  /** How many there were when they were last counted. */
  get count(): number {
    return this.#count;
  }

  async recount(): Promise<void> {
    const { rows } = await this.#pool.query<{ count: number }>(
      "select count(*)::int as count from durable.set_aside where hub = $1",
      [this.#hub],
    );
    this.#count = rows[0]?.count ?? 0;
  }

  /** With a line in the log for each. */
  async put(messages: readonly SpoiledMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const { rows } = await this.#pool.query<{ id: string; instance_id: string; reason: string }>(
      put,
      [
        this.#hub,
        this.#host.hostId,
        messages.map(({ id }) => id),
        messages.map(({ error }) => errorLine(error).replaceAll(/\s+/gu, " ")),
      ],
    );
    this.#count += rows.length;
    for (const { id, instance_id: instanceId, reason } of rows)
      console.error(`durable: message ${id} for ${instanceId} was set aside: ${reason}`);
  }

  /** In the order of their numbers, behind `after`. */
  async list(after: string, limit: number): Promise<SetAsideMessage[]> {
    const { rows } = await this.#pool.query<SetAsideMessage>(
      `select id, instance_id as "instanceId", type, reason, set_aside_at as "setAsideAt",
         left(body, ${shownBodyMax}) as body
       from durable.set_aside where hub = $1 and id > $2 order by id limit $3`,
      [this.#hub, after, limit],
    );
    return rows;
  }

  /** Gives it back to its instance, in its old place, and resolves to that one's id; undefined where that has ended. */
  async putBack(id: string): Promise<string | undefined> {
    const { rows } = await this.#pool.query<{ instance_id: string }>(returnToInstance, [
      this.#hub,
      id,
    ]);
    this.#count -= rows.length;
    return rows[0]?.instance_id;
  }

  async holds(id: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      "select from durable.set_aside where hub = $1 and id = $2",
      [this.#hub, id],
    );
    return rowCount !== 0;
  }

  /** False where there is none of that number. */
  async discard(id: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      "delete from durable.set_aside where hub = $1 and id = $2",
      [this.#hub, id],
    );
    this.#count -= rowCount ?? 0;
    return rowCount !== 0;
  }
}
