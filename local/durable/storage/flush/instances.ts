/** Writes to instance rows: turns behind their fence, new orchestrations with theirs, and ids asked for. */
import type { NewInstance } from "../change.js";
import { fenceKey, input, type Write } from "./part.js";

/** One row a turn of an instance that is on disk. */
export const turns = input(
  "turns",
  ({ turn, begun }) => (turn === undefined || begun !== undefined ? [] : [turn]),
  [
    { name: "key", type: "bigint", value: ({ key }) => key },
    { name: "epoch", type: "bigint", value: ({ epoch }) => epoch },
    { name: "turn", type: "int", value: ({ turn }) => turn },
    { name: "status", type: "text", value: ({ status }) => status },
    { name: "execution_id", type: "text", value: ({ executionId }) => executionId },
    { name: "output", type: "text", value: ({ output }) => output },
    { name: "custom_status", type: "text", value: ({ customStatus }) => customStatus },
    { name: "input", type: "text", value: ({ input: given }) => given },
    { name: "carried", type: "text", value: ({ carried }) => carried },
    { name: "entity_state", type: "text", value: ({ entityState }) => entityState },
    { name: "entity_lock", type: "text", value: ({ entityLock }) => entityLock },
    { name: "final", type: "boolean", value: ({ clears }) => clears === "openWork" },
    { name: "at", type: "timestamptz", value: (_turn, { at }) => at.toISOString() },
  ],
);

/** The fence: a turn whose epoch or number is not the row's any more does not pass. */
export const fence: Write = {
  input: turns,
  cte: `fenced as (
    update durable.instance i set turn = i.turn + 1, status = u.status,
      execution_id = u.execution_id, output = u.output,
      custom_status = coalesce(u.custom_status, i.custom_status),
      input = coalesce(u.input, i.input), carried = u.carried, entity_state = u.entity_state,
      entity_lock = u.entity_lock, updated_at = u.at,
      generation = case when i.execution_id = u.execution_id then i.generation end,
      completed_at = case when u.final then u.at end
    from turns u where i.key = u.key and i.epoch = u.epoch and i.turn = u.turn returning i.key)`,
};

/** New orchestrations, in the state in which their first turn leaves them. */
export const beginnings = input(
  "beginnings",
  ({ begun, turn }) => (begun === undefined ? [] : [{ begun, turn }]),
  [
    { name: "key", type: "bigint", value: ({ begun }) => begun.key },
    { name: "id", type: "text", value: ({ begun }) => begun.id },
    {
      name: "execution_id",
      type: "text",
      value: ({ begun, turn }) => turn?.executionId ?? begun.executionId,
    },
    { name: "name", type: "text", value: ({ begun }) => begun.name },
    { name: "version", type: "text", value: ({ begun }) => begun.version },
    { name: "status", type: "text", value: ({ begun, turn }) => turn?.status ?? begun.status },
    { name: "input", type: "text", value: ({ begun, turn }) => turn?.input ?? begun.input },
    { name: "trace_parent", type: "text", value: ({ begun }) => begun.traceParent },
    { name: "output", type: "text", value: ({ turn }) => turn?.output },
    { name: "custom_status", type: "text", value: ({ turn }) => turn?.customStatus },
    { name: "carried", type: "text", value: ({ turn }) => turn?.carried },
    { name: "turn", type: "int", value: ({ turn }) => (turn === undefined ? 0 : turn.turn + 1) },
    {
      name: "generation",
      type: "int",
      value: ({ begun, turn }) =>
        turn === undefined || turn.executionId === begun.executionId ? 0 : null,
    },
    { name: "final", type: "boolean", value: ({ turn }) => turn?.clears === "openWork" },
    { name: "at", type: "timestamptz", value: (_one, { at }) => at.toISOString() },
  ],
);

/** Their fence: of two writes of one beginning, the second after a lost answer, one passes. */
export const begin: Write = {
  input: beginnings,
  cte: `begun as (
    insert into durable.instance (hub, key, id, kind, execution_id, name, version, status, input,
      trace_parent, output, custom_status, carried, turn, generation, owner, created_at, updated_at,
      completed_at)
    select $1::text, key, id, 'orchestration', execution_id, name, version, status, input,
      trace_parent, output, custom_status, carried, turn, generation, $2::text::uuid, at, at, case when final then at end
    from beginnings on conflict (hub, id) do nothing returning key)`,
};

/** Instances under ids that may be in use, such as children, entities and what callers name. */
export const requests = input<NewInstance>("requests", ({ instances }) => instances ?? [], [
  fenceKey,
  { name: "id", type: "text", value: ({ id }) => id },
  { name: "kind", type: "text", value: ({ kind }) => kind },
  { name: "execution_id", type: "text", value: ({ executionId }) => executionId },
  { name: "name", type: "text", value: ({ name }) => name },
  { name: "version", type: "text", value: ({ version }) => version },
  { name: "status", type: "text", value: ({ status }) => status },
  { name: "input", type: "text", value: ({ input: given }) => given },
  { name: "trace_parent", type: "text", value: ({ traceParent }) => traceParent },
  { name: "parent_id", type: "text", value: ({ parentId }) => parentId },
  {
    name: "parent_execution_id",
    type: "text",
    value: ({ parentExecutionId }) => parentExecutionId,
  },
  { name: "parent_task_id", type: "int", value: ({ parentTaskId }) => parentTaskId },
  { name: "at", type: "timestamptz", value: (_one, { at }) => at.toISOString() },
]);

/**
 * An id is free where no instance has it, or one that has ended; of several requests for one id in
 * one statement one counts. `known` is what stood there before. What stood there open is left alone:
 * its turn may be in this very statement, and a row must not be touched twice.
 */
export const create: Write = {
  input: requests,
  cte: `known as (select i.key, i.id, i.epoch, i.execution_id, i.completed_at is not null as ended,
        i.execution_id = r.execution_id as same
      from durable.instance i join requests r on i.id = r.id where i.hub = $1::text),
    wanted as (select distinct on (id) * from requests
      where id not in (select id from known where not ended)),
    created as (
      insert into durable.instance as i (hub, id, kind, execution_id, name, version, status, input,
        trace_parent, parent_id, parent_execution_id, parent_task_id, owner, created_at, updated_at, generation)
      select $1::text, id, kind, execution_id, name, version, status, input, trace_parent,
        parent_id, parent_execution_id, parent_task_id, $2::text::uuid, at, at,
        case when kind = 'orchestration' and parent_id is null then 0 end from wanted
      where fence_key is not null or exists (select from gate)
      on conflict (hub, id) do update set key = excluded.key, kind = excluded.kind,
        execution_id = excluded.execution_id, name = excluded.name, version = excluded.version,
        status = excluded.status, input = excluded.input,
        trace_parent = excluded.trace_parent, output = null, custom_status = null,
        parent_id = excluded.parent_id, parent_execution_id = excluded.parent_execution_id,
        parent_task_id = excluded.parent_task_id, carried = null, entity_state = null,
        entity_lock = null, epoch = i.epoch + 1, turn = 0, owner = excluded.owner,
        rewinds = 0, created_at = excluded.created_at, updated_at = excluded.updated_at, completed_at = null,
        generation = excluded.generation + coalesce(i.generation, 0) + 1
      where i.completed_at is not null returning id, key, epoch, execution_id)`,
};
