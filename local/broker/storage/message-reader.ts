/** Reads messages back: what the memory does not hold, looks ahead of it, or wants to see all of. */
import type { Pool } from "pg";
import { stateCodes, type MessageState, type StoredMessage } from "./stored-message.js";

interface MessageRow {
  readonly entity_id: number;
  readonly sequence_number: unknown;
  readonly enqueued_sequence_number: unknown;
  readonly message_id: string;
  readonly session_id: string | null;
  readonly state: number;
  readonly delivery_count: number;
  readonly enqueued_at_ms: unknown;
  readonly expires_at_ms: unknown;
  readonly scheduled_for_ms: unknown;
  readonly time_to_live_ms: unknown;
  readonly durable: boolean | null;
  readonly priority: number | null;
  readonly annotations: Buffer | null;
  readonly bare: Buffer;
  readonly hops: number;
}

const stateNames: readonly MessageState[] = ["active", "deferred", "scheduled"];

/** 64-bit columns may come as text, number or bigint: others in this process choose the parser. */
const nullable = (value: unknown): number | null => (value === null ? null : Number(value));

const messageOf = (row: MessageRow): StoredMessage => ({
  entityId: row.entity_id,
  sequenceNumber: Number(row.sequence_number),
  enqueuedSequenceNumber: Number(row.enqueued_sequence_number),
  messageId: row.message_id,
  sessionId: row.session_id,
  state: stateNames[row.state] ?? "active",
  deliveryCount: row.delivery_count,
  delivered: false,
  enqueuedAtMs: Number(row.enqueued_at_ms),
  expiresAtMs: nullable(row.expires_at_ms),
  scheduledForMs: nullable(row.scheduled_for_ms),
  timeToLiveMs: nullable(row.time_to_live_ms),
  durable: row.durable,
  priority: row.priority,
  annotations: row.annotations,
  bare: row.bare,
  hops: row.hops,
});

const columns = `entity_id, sequence_number, enqueued_sequence_number, message_id, session_id, state,
  delivery_count, enqueued_at_ms, expires_at_ms, scheduled_for_ms, time_to_live_ms, durable, priority,
  annotations, bare, hops`;

export interface ReadyQuery {
  readonly entityId: number;
  readonly sessionId: string | null;
  readonly after: number;
  readonly countMax: number;
  readonly bytesMax: number;
}

export interface NextTime {
  readonly entityId: number;
  readonly atMs: number;
}

export interface PeekQuery {
  readonly entityId: number;
  readonly sessionId: string | null;
  readonly from: number;
  readonly countMax: number;
  readonly nowMs: number;
}

export class MessageReader {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The next active messages in order, until count or bytes are full. */
  async ready({ entityId, sessionId, after, countMax, bytesMax }: ReadyQuery) {
    const bySession = sessionId === null ? "" : "and session_id = $5";
    return this.#read(
      `select ${columns} from (
         select *, sum(octet_length(bare)) over (order by sequence_number) - octet_length(bare)
           as bytes_before
         from (
           select ${columns} from broker.message
           where entity_id = $1 and state = ${stateCodes.active} and sequence_number > $2 ${bySession}
           order by sequence_number limit $3
         ) as next
       ) as measured
       where bytes_before < $4 order by sequence_number`,
      [entityId, after, countMax, bytesMax, ...(sessionId === null ? [] : [sessionId])],
    );
  }

  async peek({ entityId, sessionId, from, countMax, nowMs }: PeekQuery) {
    return this.#read(
      `select ${columns} from broker.message
       where entity_id = $1 and sequence_number >= $2 and ($3::text is null or session_id = $3)
         and (expires_at_ms is null or expires_at_ms > $4)
       order by sequence_number limit $5`,
      [entityId, from, sessionId, nowMs, countMax],
    );
  }

  async bySequenceNumbers(
    entityId: number,
    state: MessageState,
    sequenceNumbers: readonly number[],
  ) {
    return this.#read(
      `select ${columns} from broker.message
       where entity_id = $1 and state = $2 and sequence_number = any($3::bigint[])
       order by sequence_number`,
      [entityId, stateCodes[state], sequenceNumbers],
    );
  }

  /** Scheduled messages of one entity whose time has come. */
  async due(entityId: number, nowMs: number, countMax: number) {
    return this.#read(
      `select ${columns} from broker.message
       where entity_id = $1 and state = ${stateCodes.scheduled} and scheduled_for_ms <= $2
       order by scheduled_for_ms, sequence_number limit $3`,
      [entityId, nowMs, countMax],
    );
  }

  /** The messages whose time is over, without those that are out with a receiver. */
  async expired(entityId: number, nowMs: number, countMax: number, out: readonly number[]) {
    return this.#read(
      `select ${columns} from broker.message
       where entity_id = $1 and state <> ${stateCodes.scheduled} and expires_at_ms <= $2
         and sequence_number <> all($4::bigint[])
       order by expires_at_ms, sequence_number limit $3`,
      [entityId, nowMs, countMax, out],
    );
  }

  /** For each entity with scheduled messages: when the next one is due. */
  async nextDue(): Promise<NextTime[]> {
    return this.#times("scheduled_for_ms", `state = ${stateCodes.scheduled}`);
  }

  /** For each entity with messages that expire: when the next one does. */
  async nextExpiry(): Promise<NextTime[]> {
    return this.#times("expires_at_ms", `state <> ${stateCodes.scheduled}`);
  }

  /** The session of the oldest active message that nobody holds. */
  async nextSession(entityId: number, locked: readonly string[]): Promise<string | null> {
    const { rows } = await this.#pool.query<{ session_id: string }>(
      `select session_id from broker.message
       where entity_id = $1 and state = ${stateCodes.active} and session_id is not null
         and session_id <> all($2::text[])
       order by sequence_number limit 1`,
      [entityId, locked],
    );
    return rows[0]?.session_id ?? null;
  }

  /** One look into the column's index for each entity, however many messages there are. */
  async #times(column: string, condition: string): Promise<NextTime[]> {
    const { rows } = await this.#pool.query<{ entity_id: number; at_ms: unknown }>(
      `select e.entity_id, next.at_ms from broker.entity e, lateral (
         select m.${column} as at_ms from broker.message m
         where m.entity_id = e.entity_id and ${condition} and m.${column} is not null
         order by m.${column} limit 1
       ) as next`,
    );
    return rows.map((row) => ({ entityId: row.entity_id, atMs: Number(row.at_ms) }));
  }

  async #read(text: string, values: readonly unknown[]): Promise<StoredMessage[]> {
    const { rows } = await this.#pool.query<MessageRow>(text, [...values]);
    return rows.map(messageOf);
  }
}
