/** An instance that was just created, in the form in which others are read from the database. */
import type { CreatedInstance, NewInstance } from "./change.js";
import type { StoredInstance } from "./instance-rows.js";

export const freshInstance = (
  one: NewInstance,
  { key, epoch }: CreatedInstance,
  now: Date,
): StoredInstance => ({
  row: {
    key: String(key),
    id: one.id,
    kind: one.kind,
    execution_id: one.executionId,
    name: one.name,
    version: one.version ?? null,
    status: one.status,
    input: one.input ?? null,
    output: null,
    custom_status: null,
    parent_id: one.parentId ?? null,
    parent_execution_id: one.parentExecutionId ?? null,
    parent_task_id: one.parentTaskId ?? null,
    carried: null,
    entity_state: null,
    entity_lock: null,
    epoch: String(epoch),
    turn: 0,
    created_at: now,
    updated_at: now,
    completed_at: null,
    generation: null,
    rewinds: 0,
    trace_parent: one.traceParent ?? null,
  },
  history: [],
  activities: [],
  messages: [],
});
