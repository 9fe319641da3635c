/** Gathers the history of an instance for whoever asks for it, from all the places where it lies. */
import type { Pool } from "pg";
import { historyView } from "./history-view.js";
import { readHistory, type InstanceRow } from "../storage/instance-rows.js";
import { parseMessageBody } from "../protocol/messages.js";
import { historyEvent, type HistoryEvent } from "../protocol/protocol.js";
import { entityInput } from "./status-view.js";

/** Events for a suspended instance wait for its resumption, and show meanwhile. */
const raisedMeanwhile = async (pool: Pool, hub: string, id: string): Promise<HistoryEvent[]> => {
  const { rows } = await pool.query<{ body: string }>(
    "select body from durable.message where hub = $1 and instance_id = $2 order by id",
    [hub, id],
  );
  return rows.flatMap(({ body }) => {
    const message = parseMessageBody(body);
    if (message.type !== "event" || message.at === undefined) return [];
    const { name, input, at } = message;
    const details = { Name: name, ...(input !== undefined && { Input: input }) };
    return [historyEvent("EventRaised", new Date(at), details)];
  });
};

/** An entity begins a new execution with every batch, and so never has more than its beginning. */
const entityHistory = (row: InstanceRow): HistoryEvent[] => [
  historyEvent("ExecutionStarted", row.updated_at, {
    Name: row.name,
    Input: JSON.stringify(entityInput(row)),
  }),
];

const eventsOf = async (pool: Pool, hub: string, row: InstanceRow): Promise<HistoryEvent[]> => {
  if (row.kind === "entity") return entityHistory(row);
  const history = await readHistory(pool, row.key);
  if (row.status !== "Suspended") return history;
  return [...history, ...(await raisedMeanwhile(pool, hub, row.id))];
};

export const shownHistory = async (
  pool: Pool,
  hub: string,
  row: InstanceRow,
  withResults: boolean,
): Promise<object[]> => historyView(row, await eventsOf(pool, hub, row), withResults);
