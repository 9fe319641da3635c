/** Writes to history rows: the events of a turn, and the end of histories that nobody needs any more. */
import { clearings } from "./clearings.js";
import { requests } from "./instances.js";
import { fenceKey, input, type Write } from "./part.js";

const histories = input(
  "histories",
  ({ turn }) =>
    turn?.events === undefined ? [] : [{ key: turn.key, turn: turn.turn, events: turn.events }],
  [
    fenceKey,
    { name: "key", type: "bigint", value: ({ key }) => key },
    { name: "turn", type: "int", value: ({ turn }) => turn },
    { name: "events", type: "text", value: ({ events }) => events },
  ],
);

export const historyWrites: readonly Write[] = [
  {
    input: histories,
    cte: `history_added as (insert into durable.history (key, turn, events)
      select key, turn, events from histories)`,
  },
  {
    input: clearings,
    cte: `history_cleared as (delete from durable.history h using clearings c
      where h.key = c.key and c.whole_execution)`,
  },
  // The earlier life of an id that is used again. Its key is not the new one's.
  {
    input: requests,
    cte: `history_of_earlier as (delete from durable.history h using known k
      where k.ended and h.key = k.key and k.id in (select id from created))`,
  },
];
