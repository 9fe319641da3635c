/** Holds what a test database audited against the kinds of things whose audit can be asked for. */
import type { Client } from "pg";
import { z } from "zod";
import { auditedEntities } from "../../../shared/contracts/accounting/audit.js";

/** The chain's own checkpoints (`Audit`) are about no partner's entity. */
const known: ReadonlySet<string> = new Set([...auditedEntities, "Audit"]);

const Row = z.object({ entity: z.string() });

/** Throws where something was audited that no partner could read. */
export const checkAuditedEntities = async (client: Client): Promise<void> => {
  const { rowCount } = await client.query(
    "select from pg_tables where schemaname = 'borsello' and tablename = 'audit'",
  );
  if (rowCount === 0) return;
  const { rows } = await client.query("select distinct entity from borsello.audit");
  const unknown = rows.map((row) => Row.parse(row).entity).filter((entity) => !known.has(entity));
  if (unknown.length > 0)
    throw new Error(`audited, but not among auditedEntities: ${unknown.join(", ")}`);
};
