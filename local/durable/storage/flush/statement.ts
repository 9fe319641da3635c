/**
 * Builds the one statement that writes any number of changes: data-modifying CTEs over rows.
 *
 * The rule by which PostgreSQL evaluates it, and by which its parts are written:
 * - All CTEs see the same snapshot, the tables as they were before the statement. None sees what
 *   another one writes; what it needs of that, it takes from the other one's `returning`.
 * - A row must be touched once. Of two CTEs that change one row, one has its effect, and which one
 *   is not said; only deletes of the same row may meet. So the parts are kept by the rows that they
 *   touch, one file a table, where it can be seen that they do not meet.
 * - What a try before this one has done in the meantime is not seen either: only the gate and the fences, which
 *   lock rows, are decided upon their latest state.
 * - The order is that of the data and nothing else: a CTE runs before those that read from it. The
 *   fences come first because the rows of every other input ask them whether they pass.
 */
import type { Change } from "../change.js";
import { activityWrites } from "./activities.js";
import { historyWrites } from "./history.js";
import { begin, beginnings, create, fence, requests, turns } from "./instances.js";
import { messageWrites } from "./messages.js";
import type { Cell, Input, Row } from "./part.js";

const fences = [fence, begin];
/** In an order in which each finds those that it reads from before itself. */
const writes = [create, ...historyWrites, ...activityWrites, ...messageWrites];
const inputs = [...new Set([...fences, ...writes].map(({ input }) => input))];

/** Whether an input has no rows, one or many: each combination is a statement of its own. */
type Shape = "0" | "1" | "n";

const shapeOf = (rows: readonly Row[]): Shape =>
  rows.length === 0 ? "0" : rows.length === 1 ? "1" : "n";

/**
 * A lone row comes as plain parameters and many come as arrays, one per column: the planner makes
 * constants of the former, which saves a lone turn half of its time in the server.
 */
const source = ({ columns }: Input, shape: Shape, firstParameter: number): string => {
  const names = columns.map(({ name }) => name).join(", ");
  const casts = columns.map(({ type }, index) => `$${firstParameter + index}::${type}`);
  return shape === "1"
    ? `(select ${casts.join(", ")}) as u(${names})`
    : `unnest(${casts.map((cast) => `${cast}[]`).join(", ")}) as u(${names})`;
};

const statements = new Map<string, string>();

/**
 * A write that is tried again after a lost answer, and was done the first time, finds the gate closed. It waits
 * for the first try, where that is still under way in the server.
 */
const gate = `gate as (insert into durable.writer as w (id, written)
    values ($3::text::uuid, $4::text::bigint)
    on conflict (id) do update set written = excluded.written, at = now()
      where w.written < excluded.written
    returning id)`;
const openGate = "gate as (select)";

/** Only the inputs that have rows, so that a lone turn pays for nothing that it does not use. */
const statementText = (shapes: ReadonlyMap<Input, Shape>, isGated: boolean): string => {
  const keys = [
    ...(shapes.has(turns) ? ["select key from fenced"] : []),
    ...(shapes.has(beginnings) ? ["select key from begun"] : []),
  ];
  const passed = keys.join(" union all ");
  const unfenced = "u.fence_key is null and exists (select from gate)";
  const fenced = passed === "" ? "false" : `u.fence_key in (${passed})`;
  let parameter = 5;
  const inputCte = (input: Input, shape: Shape): string => {
    const from = source(input, shape, parameter);
    parameter += input.columns.length;
    const isFence = fences.some((write) => write.input === input);
    // What was asked for before is looked up, too, so that the answer can tell of it.
    const passing = input === requests ? "u.fence_key is null" : unfenced;
    const condition = isFence ? "" : ` where ${passing} or ${fenced}`;
    return `${input.name} as (select u.* from ${from}${condition})`;
  };
  const ctes = [
    isGated ? gate : openGate,
    ...[...shapes].flatMap(([input, shape]) => [
      inputCte(input, shape),
      ...fences.filter((write) => write.input === input).map(({ cte }) => cte),
    ]),
  ];
  const effects = writes.filter(({ input }) => shapes.has(input)).map(({ cte }) => cte);
  const answers = [
    `select null::text as id, null::bigint as key, null::bigint as epoch, 'others' as execution_id
      where $3::text || $4::text <> '' and exists (select from durable.host h
        where h.id <> $2::text::uuid and (h.hub is null or h.hub = $1::text))`,
    "select null, null, null, 'passed' from gate",
    ...keys.map((select) => `select null, key, 0, null from (${select}) passed`),
    ...(shapes.has(requests)
      ? [
          "select id, key, epoch, execution_id from created",
          // There already, by the same request: its first answer was lost on the way.
          "select id, key, epoch, execution_id from known where same",
        ]
      : []),
  ];
  return `with ${[...ctes, ...effects].join(",\n")} ${answers.join(" union all ")}`;
};

export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: Cell[];
}

const needsEscape = /["\\]/u;

const element = (cell: Cell): string => {
  if (cell === null || cell === undefined) return "NULL";
  if (typeof cell !== "string") return String(cell);
  return `"${needsEscape.test(cell) ? cell.replaceAll(/["\\]/gu, "\\$&") : cell}"`;
};

/** The text form of one array per column. */
const arrays = (width: number, rows: readonly Row[]): string[] =>
  Array.from(
    { length: width },
    (_, column) => `{${rows.map((row) => element(row[column])).join(",")}}`,
  );

/** Whose write it is; the same where it is tried again. */
export interface WriteOrigin {
  readonly hub: string;
  /** The owner of what is created. */
  readonly hostId: string;
  /** Of the process, for as long as it lives. */
  readonly writerId: string;
  /** Ascending. */
  readonly number: number;
}

export const flushStatement = (origin: WriteOrigin, changes: readonly Change[]): Statement => {
  const shapes = new Map<Input, Shape>();
  const values: Cell[] = [origin.hub, origin.hostId, origin.writerId, String(origin.number)];
  const isGated = changes.some(({ turn, begun }) => turn === undefined && begun === undefined);
  let key = isGated ? "g" : "f";
  for (const input of inputs) {
    const rows = changes.flatMap(input.rows);
    const shape = shapeOf(rows);
    key += shape;
    if (shape === "0") continue;
    shapes.set(input, shape);
    if (shape === "1") values.push(...(rows[0] ?? []));
    else values.push(...arrays(input.columns.length, rows));
  }
  let text = statements.get(key);
  if (text === undefined) {
    text = statementText(shapes, isGated);
    statements.set(key, text);
  }
  return { name: `durable-flush-${key}`, text, values };
};
