/** The entities that clients made, as they described them: they are there again after a start. */
import type { Pool } from "pg";
import { z } from "zod";
import { AccessRules, type AccessRule } from "../access/access-rules.js";

export const entityKinds = ["queue", "topic", "subscription"] as const;
export type EntityKind = (typeof entityKinds)[number];

/** One entity's description: the fields of the management interface, as texts. */
export interface Definition {
  readonly path: string;
  readonly kind: EntityKind;
  readonly fields: Readonly<Record<string, string>>;
  /** Of a queue or a topic; those of its topic hold for a subscription. */
  readonly accessRules: readonly AccessRule[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** 64-bit columns may come as text, number or bigint: others in this process choose the parser. */
const Rows = z.array(
  z.object({
    path: z.string(),
    kind: z.enum(entityKinds),
    fields: z.record(z.string(), z.string()),
    access_rules: AccessRules,
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
      `select path, kind, fields, access_rules, created_at_ms, updated_at_ms from broker.definition
       order by kind = 'subscription', created_at_ms, path`,
    );
    return Rows.parse(rows).map(({ path, kind, fields, ...row }) => ({
      path,
      kind,
      fields,
      accessRules: row.access_rules,
      createdAtMs: row.created_at_ms,
      updatedAtMs: row.updated_at_ms,
    }));
  }

  async put(definition: Definition): Promise<void> {
    const { path, kind, fields, accessRules, createdAtMs, updatedAtMs } = definition;
    await this.#pool.query(
      `insert into broker.definition
         (path, kind, fields, access_rules, created_at_ms, updated_at_ms)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (path) do update
         set fields = excluded.fields, access_rules = excluded.access_rules,
           updated_at_ms = excluded.updated_at_ms`,
      [path, kind, JSON.stringify(fields), JSON.stringify(accessRules), createdAtMs, updatedAtMs],
    );
  }

  /** Of an entity, of a topic with its subscriptions. */
  async remove(path: string): Promise<void> {
    await this.#pool.query(
      "delete from broker.definition where path = $1 or starts_with(path, $1 || '/Subscriptions/')",
      [path],
    );
  }
}
