/** The tables of the broker, and how those of a former version become them. */
import type { Pool } from "pg";
import { StartError } from "../../start-error.js";

/** Any number, as long as every broker of one database takes the same. */
const migrationLock = 5_672_001;

/*
 * Times are milliseconds since the epoch, as the protocol has them. Nothing but the key is indexed
 * for ordinary messages, so that a send costs one index entry and a change of state none.
 */
const tables = `
  create table if not exists broker.entity (
    entity_id integer primary key generated always as identity,
    path text not null unique,
    last_sequence_number bigint not null default 0
  ) with (fillfactor = 50);

  create table if not exists broker.message (
    entity_id integer not null references broker.entity,
    sequence_number bigint not null,
    enqueued_sequence_number bigint not null,
    message_id text not null,
    session_id text,
    state smallint not null,
    delivery_count integer not null,
    delivered boolean not null,
    enqueued_at_ms bigint not null,
    expires_at_ms bigint,
    scheduled_for_ms bigint,
    time_to_live_ms bigint,
    annotations bytea,
    bare bytea not null,
    primary key (entity_id, sequence_number)
  ) with (fillfactor = 75);
  create index if not exists message_by_session
    on broker.message (entity_id, session_id, sequence_number) where session_id is not null;
  create index if not exists message_due
    on broker.message (scheduled_for_ms) where state = 2;

  create table if not exists broker.duplicate (
    entity_id integer not null references broker.entity,
    message_id text not null,
    seen_at_ms bigint not null,
    forget_at_ms bigint not null,
    primary key (entity_id, message_id)
  );

  create table if not exists broker.session_state (
    entity_id integer not null references broker.entity,
    session_id text not null,
    state bytea not null,
    primary key (entity_id, session_id)
  );

  create table if not exists broker.rule (
    entity_id integer not null references broker.entity,
    name text not null,
    filter jsonb not null,
    primary key (entity_id, name)
  );`;

/** Rules with actions, forwarding, and the entities that clients made. */
const administration = `
  alter table broker.message add column hops smallint not null default 0;
  alter table broker.rule add column action text;
  create table broker.definition (
    path text primary key,
    kind text not null,
    fields jsonb not null,
    created_at_ms bigint not null,
    updated_at_ms bigint not null
  );`;

/** One row: how often a broker took the database over. */
const ownership = `
  create table broker.owner (tenure integer not null);
  insert into broker.owner values (0);`;

/** The sender's header fields; each entity's next time to release or to expire is found at once. */
const headersAndTimes = `
  alter table broker.message add column durable boolean, add column priority smallint;
  drop index if exists broker.message_due;
  create index message_due on broker.message (entity_id, scheduled_for_ms) where state = 2;
  create index message_expiring on broker.message (entity_id, expires_at_ms)
    where expires_at_ms is not null;`;

/*
 * Dead letters keep the number that they had in their queue, which so far was kept beside one of
 * their own. Through negative numbers, since none may be there twice on the way; of two that had the
 * same one, which should not be, the later gets a number that no queue reaches.
 */
const deadLetterNumbers = `
  update broker.message m set sequence_number = -t.number
  from (
    select l.entity_id, l.sequence_number,
      case when row_number() over (
        partition by l.entity_id, l.enqueued_sequence_number order by l.sequence_number
      ) = 1 then l.enqueued_sequence_number else (1::bigint << 52) + l.sequence_number end as number
    from broker.message l join broker.entity e using (entity_id)
    where e.path like '%/$DeadLetterQueue'
  ) as t
  where m.entity_id = t.entity_id and m.sequence_number = t.sequence_number;
  update broker.message set sequence_number = -sequence_number where sequence_number < 0;`;

/** Keys of the entities that clients made. */
const accessRules = `
  alter table broker.definition add column access_rules jsonb not null default '[]';`;

/*
 * Each is run once, in this order, and never changed afterwards: a database may stand after any of
 * them. The first one's tables may be there already, from before the steps were counted.
 */
export const steps: readonly string[] = [
  tables,
  ownership,
  headersAndTimes,
  deadLetterNumbers,
  administration,
  accessRules,
];

/** Only for who owns the database: another broker's tables must not change under it. */
export const migrateSchema = async (pool: Pool): Promise<void> => {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [migrationLock]);
    await client.query(
      `create schema if not exists broker;
       create table if not exists broker.schema_step (done integer not null)`,
    );
    const { rows } = await client.query<{ done: number }>(
      "select coalesce(max(done), 0) as done from broker.schema_step",
    );
    const done = rows[0]?.done ?? 0;
    if (done > steps.length)
      throw new StartError("The broker's tables are those of a newer version of this program.");
    for (const step of steps.slice(done)) await client.query(step);
    if (done < steps.length)
      await client.query("insert into broker.schema_step values ($1)", [steps.length]);
    await client.query("commit");
  } finally {
    // A failed transaction must not go back to the pool half open.
    client.release(true);
  }
};
