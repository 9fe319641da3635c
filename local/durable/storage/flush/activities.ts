/** Writes to activity rows: what a turn schedules, and what has ended. */
import type { NewActivity } from "../change.js";
import { clearings } from "./clearings.js";
import { fenceKey, input, type Write } from "./part.js";

const activities = input<NewActivity>("activities", (change) => change.activities ?? [], [
  fenceKey,
  { name: "task_id", type: "int", value: ({ taskId }) => taskId },
  { name: "name", type: "text", value: ({ name }) => name },
  { name: "input", type: "text", value: ({ input: given }) => given },
]);

const endedActivities = input<number>(
  "ended_activities",
  (change) => change.endedActivities ?? [],
  [fenceKey, { name: "task_id", type: "int", value: (taskId) => taskId }],
);

export const activityWrites: readonly Write[] = [
  // A number is given out once in an execution, and turns of two executions are joined only where
  // they differ, so none of these is among those that go.
  {
    input: activities,
    cte: `activities_added as (insert into durable.activity (key, task_id, name, input)
      select fence_key, task_id, name, input from activities)`,
  },
  {
    input: endedActivities,
    cte: `activities_ended as (delete from durable.activity a using ended_activities e
      where a.key = e.fence_key and a.task_id = e.task_id)`,
  },
  {
    input: clearings,
    cte: `activities_cleared as (delete from durable.activity a using clearings c
      where a.key = c.key)`,
  },
];
