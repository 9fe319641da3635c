/** A whole book as it was at one moment: its own connection, one snapshot, nothing can be written. */
import type { z } from "zod";
import type { DatabaseConnection } from "../../platform/config.js";
import { withConnection } from "../platform/connections.js";

export interface Book {
  /** The one row that a statement gives. */
  row<Row>(schema: z.ZodType<Row>, text: string, values?: readonly unknown[]): Promise<Row>;
}

/** What is wrong with a book. */
export interface Finding {
  readonly check: string;
  /** What it is about: a transaction, a bucket, an operation, a counter, a link. */
  readonly subject: string;
  readonly detail: string;
}

/** Where a check tells what it finds and how far it is. */
export interface Report {
  find(subject: string, detail: string): void;
  /** How many rows were looked at since the last call. */
  advance(rows: number): void;
  /** What is worth knowing and nothing wrong. */
  note(name: string, value: string): void;
}

export const readBook = <Value>(
  connection: DatabaseConnection,
  work: (book: Book) => Promise<Value>,
): Promise<Value> =>
  withConnection(connection, async (client) => {
    await client.query("begin isolation level repeatable read read only");
    const value = await work({
      row: async (schema, text, values = []) => {
        const { rows } = await client.query<object>(text, [...values]);
        return schema.parse(rows[0]);
      },
    });
    await client.query("commit");
    return value;
  });
