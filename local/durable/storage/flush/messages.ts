/** Writes to message rows: what is sent, what is consumed, and what has nobody left to read it. */
import type { NewInstance } from "../change.js";
import { keptCondition } from "../unread-messages.js";
import { messageColumns, type MessageColumns } from "../message-columns.js";
import { clearings } from "./clearings.js";
import { requests } from "./instances.js";
import { fenceKey, input, type Column, type Write } from "./part.js";

const columns = <Item>(of: (item: Item) => MessageColumns): readonly Column<Item>[] => [
  { name: "id", type: "bigint", value: (item) => of(item).id },
  { name: "instance_id", type: "text", value: (item) => of(item).instanceId },
  { name: "execution_id", type: "text", value: (item) => of(item).executionId },
  { name: "due_at", type: "bigint", value: (item) => of(item).dueAt },
  { name: "type", type: "text", value: (item) => of(item).type },
  { name: "asker_execution", type: "text", value: (item) => of(item).askerExecution },
  { name: "body", type: "text", value: (item) => of(item).body },
];

const messages = input<MessageColumns>(
  "messages",
  (change) => (change.messages ?? []).map(messageColumns),
  [fenceKey, ...columns((message: MessageColumns) => message)],
);

/** Messages that are sent where an id was not free. */
const conflicts = input(
  "conflicts",
  ({ instances = [] }) =>
    instances.flatMap(({ id, executionId, onConflict }: NewInstance) =>
      onConflict === undefined
        ? []
        : [{ wantedId: id, wantedExecution: executionId, message: messageColumns(onConflict) }],
    ),
  [
    fenceKey,
    { name: "wanted_id", type: "text", value: ({ wantedId }) => wantedId },
    { name: "wanted_execution", type: "text", value: ({ wantedExecution }) => wantedExecution },
    ...columns(({ message }: { readonly message: MessageColumns }) => message),
  ],
);

const consumed = input<number>("consumed", (change) => change.consumed ?? [], [
  fenceKey,
  { name: "id", type: "bigint", value: (id) => id },
]);

const inserted = `insert into durable.message
  (id, hub, instance_id, execution_id, due_at, type, asker_execution, body)
  select id, $1::text, instance_id, execution_id, due_at, type, asker_execution, body`;

/**
 * Several of the deletes may mean the same row, which is no harm: it goes once. None of them sees
 * what is inserted here, so a message to an instance that this very statement creates stays.
 */
export const messageWrites: readonly Write[] = [
  {
    input: messages,
    // Their places are given out in the order of their numbers, which is that in which they were sent.
    cte: `messages_added as (${inserted} from messages order by id on conflict (id) do nothing)`,
  },
  {
    input: conflicts,
    cte: `conflicts_added as (${inserted} from conflicts
      where (wanted_id, wanted_execution) not in (select id, execution_id from created)
      on conflict (id) do nothing)`,
  },
  {
    input: consumed,
    cte: `messages_consumed as (delete from durable.message m using consumed c where m.id = c.id)`,
  },
  {
    input: clearings,
    cte: `messages_cleared as (delete from durable.message m using clearings c
      where m.hub = $1::text and m.instance_id = c.id
        and (not c.whole_execution or m.execution_id is not null)
        and not ${keptCondition("c.status", "m.type")})`,
  },
  // What was meant for the earlier life of an id.
  {
    input: requests,
    cte: `messages_of_earlier as (delete from durable.message m using created c
      where m.hub = $1::text and m.instance_id = c.id)`,
  },
];
