/** Builds the one statement that writes any number of changes: data-modifying CTEs over rows. */
import type { Change } from "./change.js";
import { births, instances, parts, turns, type Cell, type Part, type Row } from "./flush-parts.js";

/** How many rows a part has in a statement: each combination is a statement of its own. */
type Shape = "0" | "1" | "n";

const shapeOf = (rows: readonly Row[]): Shape =>
  rows.length === 0 ? "0" : rows.length === 1 ? "1" : "n";

/**
 * A lone row comes as plain parameters and many come as arrays, one per column: the planner makes
 * constants of the former, which saves a lone turn half of its time in the server.
 */
const source = ({ columns }: Part, shape: Shape, firstParameter: number): string => {
  const types = Object.values(columns);
  const names = Object.keys(columns).join(", ");
  const casts = types.map((type, index) => `$${firstParameter + index}::${type}`);
  return shape === "1"
    ? `(select ${casts.join(", ")}) as u(${names})`
    : `unnest(${casts.map((cast) => `${cast}[]`).join(", ")}) as u(${names})`;
};

const statements = new Map<string, string>();

/** Only the parts that have rows, so that a lone turn pays for nothing that it does not use. */
const statementText = (shapes: readonly Shape[]): string => {
  const chosen = parts.filter((_, index) => shapes[index] !== "0");
  const passed = [
    ...(chosen.includes(turns) ? ["fenced"] : []),
    ...(chosen.includes(births) ? ["born"] : []),
  ];
  const keys = passed.map((cte) => `select key from ${cte}`).join(" union all ");
  const fenced = keys === "" ? "select null::bigint" : keys;
  let parameter = 3;
  const ctes = parts.flatMap((part, index) => {
    const shape = shapes[index] ?? "0";
    if (shape === "0") return [];
    const from = source(part, shape, parameter);
    parameter += Object.keys(part.columns).length;
    return [part.ctes(from, fenced)];
  });
  const answers = [
    "select null::text as id, null::bigint as key, null::bigint as epoch, null::text as execution_id where $1::text || $2::text = ''",
    ...passed.map((cte) => `select null, key, 0, null from ${cte}`),
    ...(chosen.includes(instances)
      ? [
          "select id, key, epoch, execution_id from created",
          // There already, by the same request: its first answer was lost on the way.
          "select id, key, epoch, execution_id from known where same",
        ]
      : []),
  ];
  return `with ${ctes.join(",\n")} ${answers.join(" union all ")}`;
};

export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: (Cell | undefined)[];
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

export const flushStatement = (
  hub: string,
  owner: string,
  changes: readonly Change[],
): Statement => {
  const shapes: Shape[] = [];
  const values: (Cell | undefined)[] = [hub, owner];
  for (const part of parts) {
    const rows = changes.flatMap(part.rows);
    const shape = shapeOf(rows);
    shapes.push(shape);
    if (shape === "1") values.push(...(rows[0] ?? []));
    if (shape === "n") values.push(...arrays(Object.keys(part.columns).length, rows));
  }
  const key = shapes.join("");
  let text = statements.get(key);
  if (text === undefined) {
    text = statementText(shapes);
    statements.set(key, text);
  }
  return { name: `durable-flush-${key}`, text, values };
};
