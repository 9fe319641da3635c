/** The shape of a part of the writing statement: the rows that changes bring, and what it does with them. */
import type { Change } from "../change.js";

export type Cell = string | number | boolean | null | undefined;
export type Row = readonly Cell[];

/** One column of the rows that a part brings: its name and type in SQL, and where its value comes from. */
export interface Column<Item> {
  readonly name: string;
  readonly type: "bigint" | "boolean" | "int" | "text" | "timestamptz";
  readonly value: (item: Item, change: Change) => Cell;
}

/** The rows of one sort that changes bring, under one name. */
export interface Input {
  /** The CTE in which the writes find the rows whose fence has let them pass. */
  readonly name: string;
  readonly columns: readonly Pick<Column<never>, "name" | "type">[];
  readonly rows: (change: Change) => readonly Row[];
}

/** One CTE of the statement; it is left out where no change brings rows of the input. */
export interface Write {
  readonly input: Input;
  readonly cte: string;
}

export const input = <Item>(
  name: string,
  items: (change: Change) => readonly Item[],
  columns: readonly Column<Item>[],
): Input => ({
  name,
  columns,
  rows: (change) => items(change).map((item) => columns.map(({ value }) => value(item, change))),
});

/**
 * The column by which the fence decides upon a row: the key of the instance whose turn brought it.
 * Rows that no turn brought have none: for them the gate decides, which lets each write pass once.
 */
export const fenceKey: Column<unknown> = {
  name: "fence_key",
  type: "bigint",
  value: (_item, { turn }) => turn?.key,
};
