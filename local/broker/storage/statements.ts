/** The two statements that write messages: everything of one flush, or marks of deliveries alone. */
import { stateCodes, type MessageKey, type StoredMessage } from "./stored-message.js";
import type { Statement } from "./writer.js";

/** A message id as an entity that detects duplicates has seen it. */
export interface Detection {
  readonly entityId: number;
  readonly messageId: string;
  readonly seenAtMs: number;
  readonly forgetAtMs: number;
}

export interface Addition {
  readonly message: StoredMessage;
  /** The message is left out if this detection turns out to be a second one. */
  readonly detection: Detection | null;
}

export interface Change {
  readonly message: StoredMessage;
  /** Whether its bytes changed too. */
  readonly rewritten: boolean;
}

export interface Flush {
  readonly added: readonly Addition[];
  readonly changed: readonly Change[];
  readonly removed: readonly MessageKey[];
  readonly detections: readonly Detection[];
  readonly counted: readonly MessageKey[];
}

/** Arrays in, one row per element: the statement is the same for one message and for thousands. */
const flushText = (onConflict: string): string => `
  with fresh as (
    insert into broker.duplicate as known (entity_id, message_id, seen_at_ms, forget_at_ms)
    select * from unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[])
    on conflict (entity_id, message_id) do update
      set seen_at_ms = excluded.seen_at_ms, forget_at_ms = excluded.forget_at_ms
      where known.forget_at_ms <= excluded.seen_at_ms
    returning entity_id, message_id
  ), removed as (
    delete from broker.message m using unnest($5::int[], $6::bigint[]) as r (entity_id, number)
    where m.entity_id = r.entity_id and m.sequence_number = r.number
  ), changed as (
    update broker.message m
    set state = c.state, delivery_count = c.delivery_count, delivered = c.delivered,
      bare = coalesce(c.bare, m.bare)
    from unnest($7::int[], $8::bigint[], $9::smallint[], $10::int[], $11::boolean[], $12::bytea[])
      as c (entity_id, number, state, delivery_count, delivered, bare)
    where m.entity_id = c.entity_id and m.sequence_number = c.number
  ), added as (
    insert into broker.message (entity_id, sequence_number, enqueued_sequence_number, message_id,
      session_id, state, delivery_count, delivered, enqueued_at_ms, expires_at_ms,
      scheduled_for_ms, time_to_live_ms, annotations, bare, durable, priority, hops)
    select a.entity_id, a.number, a.enqueued_number, a.message_id, a.session_id, a.state,
      a.delivery_count, false, a.enqueued_at, a.expires_at, a.scheduled_for, a.time_to_live,
      a.annotations, a.bare, a.durable, a.priority, a.hops
    from unnest($13::int[], $14::bigint[], $15::bigint[], $16::text[], $17::text[],
      $18::smallint[], $19::int[], $20::bigint[], $21::bigint[], $22::bigint[], $23::bigint[],
      $24::bytea[], $25::bytea[], $26::int[], $27::text[], $30::boolean[], $31::smallint[],
      $32::smallint[])
      as a (entity_id, number, enqueued_number, message_id, session_id, state, delivery_count,
        enqueued_at, expires_at, scheduled_for, time_to_live, annotations, bare,
        seen_entity_id, seen_message_id, durable, priority, hops)
    where a.seen_entity_id is null
      or (a.seen_entity_id, a.seen_message_id) in (select f.entity_id, f.message_id from fresh f)
    ${onConflict}
  ), counted as (
    update broker.entity e
    set last_sequence_number = greatest(e.last_sequence_number, c.number)
    from unnest($28::int[], $29::bigint[]) as c (entity_id, number)
    where e.entity_id = c.entity_id
  )
  select entity_id, message_id from fresh`;

/*
 * A row that is there already is one that the same flush has added before its answer was lost. At a
 * first attempt it would be another message's, and refusing is all that keeps this one from being
 * acknowledged and lost.
 */
const flushStatements = {
  name: "broker-flush",
  text: flushText(""),
  again: {
    name: "broker-flush-again",
    text: flushText("on conflict (entity_id, sequence_number) do nothing"),
  },
};

/** The highest number that each entity has given out, so that a restart gives none twice. */
const lastNumbers = ({ added, counted }: Flush): ReadonlyMap<number, number> => {
  const last = new Map<number, number>();
  for (const { entityId, sequenceNumber } of [...added.map(({ message }) => message), ...counted])
    last.set(entityId, Math.max(sequenceNumber, last.get(entityId) ?? 0));
  return last;
};

export const flushStatement = (flush: Flush): Statement => {
  const { added, changed, removed, detections } = flush;
  const column = <T>(pick: (message: StoredMessage) => T): T[] =>
    added.map(({ message }) => pick(message));
  const numbers = lastNumbers(flush);
  return {
    ...flushStatements,
    values: [
      detections.map(({ entityId }) => entityId),
      detections.map(({ messageId }) => messageId),
      detections.map(({ seenAtMs }) => seenAtMs),
      detections.map(({ forgetAtMs }) => forgetAtMs),
      removed.map(({ entityId }) => entityId),
      removed.map(({ sequenceNumber }) => sequenceNumber),
      changed.map(({ message }) => message.entityId),
      changed.map(({ message }) => message.sequenceNumber),
      changed.map(({ message }) => stateCodes[message.state]),
      changed.map(({ message }) => message.deliveryCount),
      changed.map(({ message }) => message.delivered),
      changed.map(({ message, rewritten }) => (rewritten ? message.bare : null)),
      column(({ entityId }) => entityId),
      column(({ sequenceNumber }) => sequenceNumber),
      column(({ enqueuedSequenceNumber }) => enqueuedSequenceNumber),
      column(({ messageId }) => messageId),
      column(({ sessionId }) => sessionId),
      column(({ state }) => stateCodes[state]),
      column(({ deliveryCount }) => deliveryCount),
      column(({ enqueuedAtMs }) => enqueuedAtMs),
      column(({ expiresAtMs }) => expiresAtMs),
      column(({ scheduledForMs }) => scheduledForMs),
      column(({ timeToLiveMs }) => timeToLiveMs),
      column(({ annotations }) => annotations),
      column(({ bare }) => bare),
      added.map(({ detection }) => detection?.entityId ?? null),
      added.map(({ detection }) => detection?.messageId ?? null),
      [...numbers.keys()],
      [...numbers.values()],
      column(({ durable }) => durable),
      column(({ priority }) => priority),
      column(({ hops }) => hops),
    ],
  };
};

/** A mark needs no wait for the disk: lost in a crash, a delivery was merely not counted. */
const marksText = `
  update broker.message m set delivered = true
  from unnest($1::int[], $2::bigint[]) as c (entity_id, number),
    (select set_config('synchronous_commit', 'off', true)) as relaxed
  where m.entity_id = c.entity_id and m.sequence_number = c.number`;

export const marksStatement = (delivered: readonly Change[]): Statement => ({
  name: "broker-marks",
  text: marksText,
  values: [
    delivered.map(({ message }) => message.entityId),
    delivered.map(({ message }) => message.sequenceNumber),
  ],
});
