/** Reads instances back: everything that a host needs to go on with them. */
import type { Pool } from "pg";
import type { InstanceKind } from "./change.js";
import { decodeEvents } from "../protocol/history-codec.js";
import { parseMessageBody, type Message } from "../protocol/messages.js";
import type { SpoiledMessage } from "./set-aside.js";
import type { HistoryEvent, RuntimeStatus } from "../protocol/protocol.js";

/** The columns of `durable.instance`, as the driver gives them. */
export interface InstanceRow {
  readonly key: string;
  readonly id: string;
  readonly kind: InstanceKind;
  readonly execution_id: string;
  readonly name: string;
  readonly version: string | null;
  readonly status: RuntimeStatus;
  readonly input: string | null;
  readonly output: string | null;
  readonly custom_status: string | null;
  readonly parent_id: string | null;
  readonly parent_execution_id: string | null;
  readonly parent_task_id: number | null;
  readonly carried: string | null;
  readonly entity_state: string | null;
  readonly entity_lock: string | null;
  readonly epoch: string;
  readonly turn: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly completed_at: Date | null;
  readonly generation: number | null;
  readonly rewinds: number;
  readonly trace_parent: string | null;
}

export interface StoredActivity {
  readonly taskId: number;
  readonly name: string;
  readonly input: string | undefined;
}

export interface StoredInstance {
  readonly row: InstanceRow;
  readonly history: HistoryEvent[];
  readonly activities: readonly StoredActivity[];
  /** In the order of their numbers; future timers included. */
  readonly messages: readonly Message[];
}

export interface MessageRow {
  readonly id: string;
  readonly instance_id: string;
  readonly execution_id: string | null;
  readonly due_at: string | null;
  readonly body: string;
}

export const messageOf = (row: MessageRow): Message => ({
  id: Number(row.id),
  target: row.instance_id,
  ...(row.execution_id !== null && { executionId: row.execution_id }),
  ...(row.due_at !== null && { dueAt: Number(row.due_at) }),
  body: parseMessageBody(row.body),
});

/** Takes instances whose owner is gone; those of a living host stay as they are. */
const claim = `update durable.instance i set owner = $2, epoch = i.epoch + 1
  where i.hub = $1 and i.id = any($3) and i.completed_at is null
    and i.owner is distinct from $2
    and not exists (select from durable.host h where h.id = i.owner)`;

const groupBy = <Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Map<string, Item[]> => {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
};

interface HistoryRow {
  readonly key: string;
  readonly events: string;
}

const historyRows = async (
  pool: Pool,
  keys: readonly string[],
): Promise<Map<string, HistoryRow[]>> => {
  const { rows } = await pool.query<HistoryRow>(
    "select key, events from durable.history where key = any($1) order by key, turn",
    [keys],
  );
  return groupBy(rows, ({ key }) => key);
};

const decodeTurns = (turns: readonly HistoryRow[] = []): HistoryEvent[] =>
  turns.flatMap(({ events }) => decodeEvents(events));

export const readHistory = async (pool: Pool, key: string): Promise<HistoryEvent[]> =>
  decodeTurns((await historyRows(pool, [key])).get(key));

/** What can be read, and what cannot: then that alone is left out. */
export interface ReadMessages {
  readonly messages: Message[];
  readonly spoiled: SpoiledMessage[];
}

export const readMessages = (rows: readonly MessageRow[]): ReadMessages => {
  const read: ReadMessages = { messages: [], spoiled: [] };
  for (const row of rows)
    try {
      read.messages.push(messageOf(row));
    } catch (error) {
      read.spoiled.push({ id: row.id, instanceId: row.instance_id, error });
    }
  return read;
};

export interface Claimed {
  readonly instances: StoredInstance[];
  /** Of their messages. */
  readonly spoiled: SpoiledMessage[];
  readonly unreadable: { readonly id: string; readonly error: unknown }[];
}

/** The open instances among `ids` that this host owns now, or has just taken over. */
export const claimInstances = async (
  pool: Pool,
  hub: string,
  owner: string,
  ids: readonly string[],
): Promise<Claimed> => {
  const open = `select * from durable.instance
    where hub = $1 and id = any($3) and owner = $2 and completed_at is null`;
  let { rows } = await pool.query<InstanceRow>(open, [hub, owner, ids]);
  if (rows.length < ids.length) {
    const { rowCount } = await pool.query(claim, [hub, owner, ids]);
    if (rowCount !== 0) ({ rows } = await pool.query<InstanceRow>(open, [hub, owner, ids]));
  }
  const claimed: Claimed = { instances: [], spoiled: [], unreadable: [] };
  if (rows.length === 0) return claimed;
  const keys = rows.map(({ key }) => key);
  const [histories, activities, messages] = await Promise.all([
    historyRows(pool, keys),
    pool.query<{ key: string; task_id: number; name: string; input: string | null }>(
      "select key, task_id, name, input from durable.activity where key = any($1) order by key, task_id",
      [keys],
    ),
    pool.query<MessageRow>(
      "select * from durable.message where hub = $1 and instance_id = any($2) order by place",
      [hub, rows.map(({ id }) => id)],
    ),
  ]);
  const activitiesOf = groupBy(activities.rows, ({ key }) => key);
  const messagesOf = groupBy(messages.rows, ({ instance_id }) => instance_id);
  for (const row of rows) {
    const read = readMessages(messagesOf.get(row.id) ?? []);
    claimed.spoiled.push(...read.spoiled);
    try {
      claimed.instances.push({
        row,
        history: decodeTurns(histories.get(row.key)),
        activities: (activitiesOf.get(row.key) ?? []).map(({ task_id, name, input }) => ({
          taskId: task_id,
          name,
          input: input ?? undefined,
        })),
        messages: read.messages,
      });
    } catch (error) {
      claimed.unreadable.push({ id: row.id, error });
    }
  }
  return claimed;
};

/** What lies in the database for an instance that is in memory, as it is at a turn of the instance's. */
export interface Mail extends ReadMessages {
  readonly id: string;
  readonly key: number;
  readonly epoch: number;
  readonly turn: number;
}

/** The messages for the open instances among `ids` that this host owns, timers included, in the order of their arrival. */
export const readMail = async (
  pool: Pool,
  hub: string,
  owner: string,
  ids: readonly string[],
): Promise<Mail[]> => {
  // One statement, so that turn and messages are of the same moment.
  const { rows } = await pool.query<
    Pick<InstanceRow, "key" | "epoch" | "turn"> & {
      readonly instance_id: string;
      readonly id: string | null;
      readonly execution_id: string | null;
      readonly due_at: string | null;
      readonly body: string | null;
    }
  >(
    `select i.id as instance_id, i.key, i.epoch, i.turn, m.id, m.execution_id, m.due_at, m.body
     from durable.instance i left join durable.message m
       on m.hub = i.hub and m.instance_id = i.id
     where i.hub = $1 and i.owner = $2 and i.id = any($3) and i.completed_at is null
     order by m.place`,
    [hub, owner, ids],
  );
  return [...groupBy(rows, ({ instance_id }) => instance_id)].map(([id, [first, ...more]]) => {
    const all = first === undefined ? [] : [first, ...more];
    const letters = all.flatMap(({ id: number, instance_id, execution_id, due_at, body }) =>
      number === null || body === null
        ? []
        : [{ id: number, instance_id, execution_id, due_at, body }],
    );
    return {
      id,
      key: Number(first?.key),
      epoch: Number(first?.epoch),
      turn: first?.turn ?? 0,
      ...readMessages(letters),
    };
  });
};

export const readInstances = async (
  pool: Pool,
  hub: string,
  ids: readonly string[],
): Promise<InstanceRow[]> => {
  const { rows } = await pool.query<InstanceRow>({
    name: "durable-instances",
    text: "select * from durable.instance where hub = $1 and id = any($2)",
    values: [hub, ids],
  });
  return rows;
};

export interface WorkPage {
  readonly instances: readonly {
    readonly id: string;
    /** How many messages without a date lie in the database for it. */
    readonly waiting: number;
  }[];
  /** Where the next page begins; absent after the last one. */
  readonly next: string | undefined;
}

/**
 * What is suspended takes only this of its messages, what waits for its locks after a rewind only that,
 * and a locked entity its holder's, until that has ended.
 */
const isTakenNow = `case
  when m.type is null then true
  when i.status = 'Suspended' then m.type in ('resume', 'terminate')
  when i.status = 'Pending' then m.type in ('locked', 'terminate')
  when i.entity_lock is json then m.type = 'release'
    or m.type <> 'lock' and m.asker_execution = i.entity_lock::json ->> 'parentExecution'
    or not exists (select from durable.instance p
      where p.hub = i.hub and p.id = i.entity_lock::json ->> 'parent' and p.completed_at is null
        and p.execution_id = i.entity_lock::json ->> 'parentExecution')
  else true end`;

/**
 * Open instances with something to do, roughly in the order of their creation, behind `after`. One without
 * a history waits for its first turn: it is new, or has just been continued as new.
 */
export const instancesWithWork = async (
  pool: Pool,
  hub: string,
  owner: string,
  after: string,
  limit: number,
): Promise<WorkPage> => {
  const { rows } = await pool.query<{ id: string; key: string; waiting: number }>(
    `select i.id, i.key, (select count(*)::int from durable.message m
       where m.hub = i.hub and m.instance_id = i.id and m.due_at is null) as waiting
     from durable.instance i
     where i.hub = $1 and i.owner = $2 and i.completed_at is null and i.key > $3
       and (i.kind = 'orchestration'
           and not exists (select from durable.history h where h.key = i.key)
         or i.carried is not null
         or exists (select from durable.activity a where a.key = i.key)
         or exists (select from durable.message m
           where m.hub = i.hub and m.instance_id = i.id and m.due_at is null
             and ${isTakenNow}))
     order by i.key limit $4`,
    [hub, owner, after, limit],
  );
  const next = rows.length < limit ? undefined : rows.at(-1)?.key;
  return { instances: rows, next };
};
