/** How many messages entities hold, for those who ask. */
import type { Pool } from "pg";
import { stateCodes } from "./stored-message.js";

export interface MessageCounts {
  readonly active: number;
  readonly scheduled: number;
  readonly total: number;
  readonly bytes: number;
}

const none: MessageCounts = { active: 0, scheduled: 0, total: 0, bytes: 0 };

export class MessageCounter {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** By entity id; reads all messages of these entities. */
  async count(entityIds: readonly number[]): Promise<(entityId: number) => MessageCounts> {
    const { rows } = await this.#pool.query<Record<keyof MessageCounts | "entity_id", unknown>>(
      `select entity_id, count(*) as total,
         count(*) filter (where state = ${stateCodes.active}) as active,
         count(*) filter (where state = ${stateCodes.scheduled}) as scheduled,
         sum(octet_length(bare)) as bytes
       from broker.message where entity_id = any($1::int[]) group by entity_id`,
      [entityIds],
    );
    const counts = new Map(
      rows.map(({ entity_id: id, active, scheduled, total, bytes }) => [
        Number(id),
        {
          active: Number(active),
          scheduled: Number(scheduled),
          total: Number(total),
          bytes: Number(bytes),
        },
      ]),
    );
    return (entityId) => counts.get(entityId) ?? none;
  }
}
