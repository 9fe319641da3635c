/** Sums of an incoming or outgoing clearing, by kind and zone. */
import type { KindTotal, Totals } from "../../domain/clearing/totals.js";
import type { Queryable } from "../platform/database.js";

export interface OutgoingTotal extends KindTotal {
  readonly interchangeDeductionCents: bigint;
  readonly feeDeductionCents: bigint;
}

/** Values for `jsonb_to_recordset`, which reads bigints from texts, too. */
const asJson = (sum: KindTotal | OutgoingTotal): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(sum).map(([name, value]) => [
      name,
      typeof value === "bigint" ? String(value) : value,
    ]),
  );

const insertSums = `
  insert into borsello.clearing_sum (clearing_id, kind, is_euro_zone, records, interchange_cents,
    fee_cents, interchange_deduction_cents, fee_deduction_cents)
  select $1, kind, "isEuroZone", records, "interchangeCents", "feeCents",
    coalesce("interchangeDeductionCents", 0), coalesce("feeDeductionCents", 0)
  from jsonb_to_recordset($2::jsonb) as s (kind text, "isEuroZone" boolean, records bigint,
    "interchangeCents" bigint, "feeCents" bigint, "interchangeDeductionCents" bigint,
    "feeDeductionCents" bigint)`;

export const dropSums = (tx: Queryable, clearingId: string): Promise<number> =>
  tx.execute("delete from borsello.clearing_sum where clearing_id = $1", [clearingId]);

/** In place of those that there were. */
export const writeSums = async (
  tx: Queryable,
  clearingId: string,
  sums: readonly (KindTotal | OutgoingTotal)[],
): Promise<void> => {
  await dropSums(tx, clearingId);
  await tx.execute(insertSums, [clearingId, JSON.stringify(sums.map(asJson))]);
};

export const keepSums = (tx: Queryable, clearingId: string, totals: Totals): Promise<void> =>
  writeSums(tx, clearingId, [...totals.values()]);
