/** The entities that clients made, as they described them: they are there again after a start. */
import type { Pool } from "pg";
import { z } from "zod";

export const entityKinds = ["queue", "topic", "subscription"] as const;
export type EntityKind = (typeof entityKinds)[number];

/** One entity's description: the fields of the management interface, as texts. */
export interface Definition {
  readonly path: string;
  readonly kind: EntityKind;
  readonly fields: Readonly<Record<string, string>>;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** 64-bit columns may come as text, number or bigint: others in this process choose the parser. */
const Rows = z.array(
  z.object({
    path: z.string(),
    kind: z.enum(entityKinds),
    fields: z.record(z.string(), z.string()),
    created_at_ms: z.coerce.number(),
    updated_at_ms: z.coerce.number(),
  }),
);

export class DefinitionStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Topics before their subscriptions. */
  async all(): Promise<Definition[]> {
    const { rows } = await this.#pool.query(
      `select path, kind, fields, created_at_ms, updated_at_ms from broker.definition
       order by kind = 'subscription', created_at_ms, path`,
    );
    return Rows.parse(rows).map(({ created_at_ms: createdAtMs, updated_at_ms, ...row }) => ({
      ...row,
      createdAtMs,
      updatedAtMs: updated_at_ms,
    }));
  }

  async put({ path, kind, fields, createdAtMs, updatedAtMs }: Definition): Promise<void> {
    await this.#pool.query(
      `insert into broker.definition (path, kind, fields, created_at_ms, updated_at_ms)
       values ($1, $2, $3, $4, $5)
       on conflict (path) do update
         set fields = excluded.fields, updated_at_ms = excluded.updated_at_ms`,
      [path, kind, JSON.stringify(fields), createdAtMs, updatedAtMs],
    );
  }

  /** Of an entity and of all below it. */
  async remove(path: string): Promise<void> {
    await this.#pool.query(
      "delete from broker.definition where path = $1 or starts_with(path, $1 || '/')",
      [path],
    );
  }
}
