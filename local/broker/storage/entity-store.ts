/** What the broker keeps besides messages: entities with their numbers, rules, session states. */
import type { Pool } from "pg";
import { RuleFilter, type RuleDefinition } from "../filters/rule.js";
import type { Writer } from "./writer.js";

export interface EntityRecord {
  readonly entityId: number;
  readonly lastSequenceNumber: number;
}

export class EntityStore {
  readonly #pool: Pool;
  readonly #writer: Writer;

  constructor(pool: Pool, writer: Writer) {
    this.#pool = pool;
    this.#writer = writer;
  }

  /** Finds the entity of a path or makes it, together with the rules that it begins with. */
  async register(path: string, rules: readonly RuleDefinition[] = []): Promise<EntityRecord> {
    await this.#pool.query(
      `with made as (
         insert into broker.entity (path) values ($1) on conflict (path) do nothing
         returning entity_id
       )
       insert into broker.rule (entity_id, name, filter, action)
       select made.entity_id, r.name, r.filter, r.action
       from made, unnest($2::text[], $3::jsonb[], $4::text[]) as r (name, filter, action)`,
      [
        path,
        rules.map(({ name }) => name),
        rules.map(({ filter }) => JSON.stringify(filter)),
        rules.map(({ action }) => action),
      ],
    );
    const { rows } = await this.#pool.query<{ entity_id: number; last_sequence_number: unknown }>(
      "select entity_id, last_sequence_number from broker.entity where path = $1",
      [path],
    );
    const [row] = rows;
    if (row === undefined) throw new Error(`The entity ${path} could not be registered.`);
    return {
      entityId: row.entity_id,
      lastSequenceNumber: Number(row.last_sequence_number),
    };
  }

  /** Deletes entities with their messages and all else that is theirs. */
  async forget(entityIds: readonly number[]): Promise<void> {
    await this.#writer.run({
      name: "broker-forget-entities",
      text: `with messages as (delete from broker.message where entity_id = any($1::int[])),
         duplicates as (delete from broker.duplicate where entity_id = any($1::int[])),
         states as (delete from broker.session_state where entity_id = any($1::int[])),
         rules as (delete from broker.rule where entity_id = any($1::int[]))
       delete from broker.entity where entity_id = any($1::int[])`,
      values: [entityIds],
    });
  }

  /**
   * After a stop every lock has expired: what was out with a receiver has failed once more. Of dead
   * letters that is not counted.
   */
  async returnDelivered(): Promise<void> {
    await this.#pool.query(
      `update broker.message m set delivered = false, delivery_count = m.delivery_count +
         case when e.path like '%/$DeadLetterQueue' then 0 else 1 end
       from broker.entity e where e.entity_id = m.entity_id and m.delivered`,
    );
  }

  async forgetDuplicates(nowMs: number): Promise<void> {
    await this.#pool.query("delete from broker.duplicate where forget_at_ms <= $1", [nowMs]);
  }

  async rules(entityId: number): Promise<RuleDefinition[]> {
    const { rows } = await this.#pool.query<{
      name: string;
      filter: unknown;
      action: string | null;
    }>("select name, filter, action from broker.rule where entity_id = $1 order by name", [
      entityId,
    ]);
    return rows.map(({ name, filter, action }) => ({
      name,
      filter: RuleFilter.parse(filter),
      action,
    }));
  }

  /** False where a rule of that name is there already. */
  async addRule(entityId: number, { name, filter, action }: RuleDefinition): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `insert into broker.rule (entity_id, name, filter, action) values ($1, $2, $3, $4)
       on conflict (entity_id, name) do nothing`,
      [entityId, name, JSON.stringify(filter), action],
    );
    return rowCount === 1;
  }

  /** False where there is no rule of that name. */
  async changeRule(entityId: number, { name, filter, action }: RuleDefinition): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      "update broker.rule set filter = $3, action = $4 where entity_id = $1 and name = $2",
      [entityId, name, JSON.stringify(filter), action],
    );
    return rowCount === 1;
  }

  /** False where there is no rule of that name. */
  async removeRule(entityId: number, name: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      "delete from broker.rule where entity_id = $1 and name = $2",
      [entityId, name],
    );
    return rowCount === 1;
  }

  async sessionState(entityId: number, sessionId: string): Promise<Buffer | null> {
    const { rows } = await this.#pool.query<{ state: Buffer }>(
      "select state from broker.session_state where entity_id = $1 and session_id = $2",
      [entityId, sessionId],
    );
    return rows[0]?.state ?? null;
  }

  /** Only the owner of the database may: a session that it lost is another broker's by now. */
  async setSessionState(entityId: number, sessionId: string, state: Buffer | null): Promise<void> {
    await this.#writer.run(
      state === null
        ? {
            name: "broker-clear-session-state",
            text: "delete from broker.session_state where entity_id = $1 and session_id = $2",
            values: [entityId, sessionId],
          }
        : {
            name: "broker-set-session-state",
            text: `insert into broker.session_state (entity_id, session_id, state)
              values ($1, $2, $3)
              on conflict (entity_id, session_id) do update set state = excluded.state`,
            values: [entityId, sessionId, state],
          },
    );
  }
}
