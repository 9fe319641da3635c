/** The status of an instance as clients see it. */
import type { InstanceRow } from "../storage/instance-rows.js";
import { storedJson } from "./json-text.js";

export interface StatusOptions {
  readonly showInput: boolean;
  /** The service calls it historyEvents, the client library looks for history. */
  readonly historyEvents?: readonly object[] | undefined;
  readonly history?: readonly object[] | undefined;
}

/** To the second: that is all that the protocol promises. */
const seconds = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;

/** An entity as the service keeps it: what its orchestration of its own gets as input. */
export const entityInput = ({ entity_state: state }: InstanceRow): object =>
  state === null
    ? { sorter: {} }
    : { exists: true, state: state === "" ? null : state, sorter: {} };

export const statusValue = (
  row: InstanceRow,
  { showInput, ...histories }: StatusOptions,
): object => ({
  name: row.name,
  instanceId: row.id,
  runtimeStatus: row.status,
  input: !showInput ? null : row.kind === "entity" ? entityInput(row) : storedJson(row.input),
  customStatus: storedJson(row.custom_status),
  output: storedJson(row.output),
  createdTime: seconds(row.created_at),
  lastUpdatedTime: seconds(row.updated_at),
  ...histories,
});
