/** The parts of the statement that writes changes: which rows each brings, and what it does with them. */
import type { Change } from "./change.js";

export type Cell = string | number | boolean | null | undefined;
export type Row = readonly Cell[];

/** One part of the statement: its columns, and its CTEs over the rows `from`. */
export interface Part {
  readonly columns: Readonly<Record<string, string>>;
  readonly rows: (change: Change) => readonly Row[];
  /** `fenced` holds the keys of the turns and births that passed; where there are none, nothing. */
  readonly ctes: (from: string, fenced: string) => string;
}

const turnKey = (change: Change): number | null => change.turn?.key ?? null;

export const turns: Part = {
  columns: {
    key: "bigint",
    epoch: "bigint",
    turn: "int",
    status: "text",
    execution_id: "text",
    output: "text",
    custom_status: "text",
    input: "text",
    carried: "text",
    entity_state: "text",
    entity_lock: "text",
    final: "boolean",
    at: "timestamptz",
  },
  rows: ({ turn, at, birth }) =>
    turn === undefined || birth !== undefined
      ? []
      : [
          [
            turn.key,
            turn.epoch,
            turn.turn,
            turn.status,
            turn.executionId,
            turn.output,
            turn.customStatus,
            turn.input,
            turn.carried,
            turn.entityState,
            turn.entityLock,
            turn.forget === "openWork",
            at.toISOString(),
          ],
        ],
  ctes: (from) => `fenced as (
    update durable.instance i set turn = i.turn + 1, status = u.status,
      execution_id = u.execution_id, output = u.output,
      custom_status = coalesce(u.custom_status, i.custom_status),
      input = coalesce(u.input, i.input), carried = u.carried, entity_state = u.entity_state,
      entity_lock = u.entity_lock, updated_at = u.at,
      generation = case when i.execution_id = u.execution_id then i.generation end,
      completed_at = case when u.final then u.at end
    from ${from} where i.key = u.key and i.epoch = u.epoch and i.turn = u.turn returning i.key)`,
};

/** New orchestrations, in the state in which their first turn leaves them. */
export const births: Part = {
  columns: {
    key: "bigint",
    id: "text",
    execution_id: "text",
    name: "text",
    version: "text",
    status: "text",
    input: "text",
    output: "text",
    custom_status: "text",
    carried: "text",
    turn: "int",
    generation: "int",
    final: "boolean",
    at: "timestamptz",
  },
  rows: ({ birth, turn, at }) =>
    birth === undefined
      ? []
      : [
          [
            birth.key,
            birth.id,
            turn?.executionId ?? birth.executionId,
            birth.name,
            birth.version,
            turn?.status ?? birth.status,
            turn?.input ?? birth.input,
            turn?.output,
            turn?.customStatus,
            turn?.carried,
            turn === undefined ? 0 : turn.turn + 1,
            turn === undefined || turn.executionId === birth.executionId ? 0 : null,
            turn?.forget === "openWork",
            at.toISOString(),
          ],
        ],
  ctes: (from) => `born as (
    insert into durable.instance (hub, key, id, kind, execution_id, name, version, status, input,
      output, custom_status, carried, turn, generation, owner, created_at, updated_at, completed_at)
    select $1::text, key, id, 'orchestration', execution_id, name, version, status, input, output,
      custom_status, carried, turn, generation, $2::text::uuid, at, at, case when final then at end
    from ${from} on conflict (hub, id) do nothing returning key)`,
};

const history: Part = {
  columns: { key: "bigint", turn: "int", events: "text" },
  rows: ({ turn }) => (turn?.events === undefined ? [] : [[turn.key, turn.turn, turn.events]]),
  ctes: (from, fenced) => `history_in as (insert into durable.history (key, turn, events)
    select u.key, u.turn, u.events from ${from} where u.key in (${fenced}))`,
};

const forgotten: Part = {
  columns: { key: "bigint", id: "text", all_history: "boolean" },
  rows: ({ turn, birth }) =>
    turn === undefined || birth !== undefined || turn.forget === "nothing"
      ? []
      : [[turn.key, turn.id, turn.forget === "execution"]],
  ctes: (from, fenced) => `forgotten as (select u.* from ${from} where u.key in (${fenced})),
    history_out as (delete from durable.history h using forgotten f
      where h.key = f.key and f.all_history),
    activity_all_out as (delete from durable.activity a using forgotten f where a.key = f.key),
    message_all_out as (delete from durable.message m using forgotten f
      where m.hub = $1::text and m.instance_id = f.id
        and (not f.all_history or m.execution_id is not null))`,
};

const endedActivities: Part = {
  columns: { key: "bigint", task_id: "int" },
  rows: (change) => (change.endedActivities ?? []).map((taskId) => [turnKey(change), taskId]),
  ctes: (from, fenced) => `activity_out as (delete from durable.activity a using ${from}
    where a.key = u.key and a.task_id = u.task_id and u.key in (${fenced}))`,
};

const newActivities: Part = {
  columns: { key: "bigint", task_id: "int", name: "text", input: "text" },
  rows: (change) =>
    (change.activities ?? []).map(({ taskId, name, input }) => [
      turnKey(change),
      taskId,
      name,
      input,
    ]),
  ctes: (from, fenced) => `activity_in as (insert into durable.activity (key, task_id, name, input)
    select u.* from ${from} where u.key in (${fenced}))`,
};

export const instances: Part = {
  columns: {
    id: "text",
    kind: "text",
    execution_id: "text",
    name: "text",
    version: "text",
    status: "text",
    input: "text",
    parent_id: "text",
    parent_execution_id: "text",
    parent_task_id: "int",
    source: "bigint",
    at: "timestamptz",
    conflict_id: "bigint",
    conflict_target: "text",
    conflict_execution: "text",
    conflict_body: "text",
  },
  rows: (change) =>
    (change.instances ?? []).map((one) => [
      one.id,
      one.kind,
      one.executionId,
      one.name,
      one.version,
      one.status,
      one.input,
      one.parentId,
      one.parentExecutionId,
      one.parentTaskId,
      turnKey(change),
      change.at.toISOString(),
      one.onConflict?.id,
      one.onConflict?.target,
      one.onConflict?.executionId,
      one.onConflict === undefined ? null : JSON.stringify(one.onConflict.body),
    ]),
  ctes: (from, fenced) => `asked as (select u.* from ${from}
      where u.source is null or u.source in (${fenced})),
    wanted as (select distinct on (id) * from asked),
    known as (select i.key, i.id, i.epoch, i.execution_id, i.completed_at is not null as ended,
        i.execution_id = w.execution_id as same
      from durable.instance i join wanted w on i.id = w.id where i.hub = $1::text),
    created as (
      insert into durable.instance as i (hub, id, kind, execution_id, name, version, status, input,
        parent_id, parent_execution_id, parent_task_id, owner, created_at, updated_at, generation)
      select $1::text, id, kind, execution_id, name, version, status, input, parent_id,
        parent_execution_id, parent_task_id, $2::text::uuid, at, at,
        case when kind = 'orchestration' and parent_id is null then 0 end from wanted
      on conflict (hub, id) do update set key = excluded.key, kind = excluded.kind,
        execution_id = excluded.execution_id, name = excluded.name, version = excluded.version,
        status = excluded.status, input = excluded.input, output = null, custom_status = null,
        parent_id = excluded.parent_id, parent_execution_id = excluded.parent_execution_id,
        parent_task_id = excluded.parent_task_id, carried = null, entity_state = null,
        entity_lock = null, epoch = i.epoch + 1, turn = 0, owner = excluded.owner,
        created_at = excluded.created_at, updated_at = excluded.updated_at, completed_at = null,
        generation = excluded.generation + coalesce(i.generation, 0) + 1
      where i.completed_at is not null returning id, key, epoch, execution_id),
    earlier_out as (delete from durable.history h using known k
      where k.ended and h.key = k.key and k.id in (select id from created)),
    stray_out as (delete from durable.message m using created c
      where m.hub = $1::text and m.instance_id = c.id),
    conflict_in as (insert into durable.message (id, hub, instance_id, execution_id, body)
      select conflict_id, $1::text, conflict_target, conflict_execution, conflict_body from asked
      where conflict_id is not null
        and (id, execution_id) not in (select id, execution_id from created)
      on conflict (id) do nothing)`,
};

const messages: Part = {
  columns: {
    id: "bigint",
    target: "text",
    execution_id: "text",
    due_at: "bigint",
    body: "text",
    source: "bigint",
  },
  rows: (change) =>
    (change.messages ?? []).map(({ id, target, executionId, dueAt, body }) => [
      id,
      target,
      executionId,
      dueAt,
      JSON.stringify(body),
      turnKey(change),
    ]),
  ctes: (from, fenced) => `message_in as (
    insert into durable.message (id, hub, instance_id, execution_id, due_at, body)
    select u.id, $1::text, u.target, u.execution_id, u.due_at, u.body from ${from}
    where u.source is null or u.source in (${fenced}) on conflict (id) do nothing)`,
};

const consumed: Part = {
  columns: { id: "bigint", source: "bigint" },
  rows: (change) => (change.consumed ?? []).map((id) => [id, turnKey(change)]),
  ctes: (from, fenced) => `message_out as (delete from durable.message m using ${from}
    where m.id = u.id and (u.source is null or u.source in (${fenced})))`,
};

/** The fences come first; every other part only looks at what passed them. */
export const parts: readonly Part[] = [
  turns,
  births,
  history,
  forgotten,
  endedActivities,
  newActivities,
  instances,
  messages,
  consumed,
];
