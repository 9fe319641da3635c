/** Seals what was audited and posted into the hash chain, behind the commands and without their locks. */
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

/** How far rows are numbered, and the transaction before which every one of them was numbered. */
const Numbered = z.object({
  auditMax: z.bigint(),
  transactionMax: z.bigint(),
  isSealed: z.boolean(),
});

export interface Horizon {
  readonly auditMax: bigint;
  readonly transactionMax: bigint;
  /** Once every transaction before it has ended, no row up to the horizon can still appear. */
  readonly before: string;
}

/**
 * The order matters: rows first. Whoever drew a row's number had its own number before, which is
 * lower than the one that is drawn here afterwards.
 */
const horizonOf = async (database: Queryable): Promise<Horizon | undefined> => {
  const numbered = await database.row(
    Numbered,
    `with numbered as (
       select
         coalesce(pg_sequence_last_value(
           pg_get_serial_sequence('borsello.audit', 'audit_id')::regclass), 0)
           as audit_max,
         coalesce(pg_sequence_last_value(
           pg_get_serial_sequence('borsello.ledger_transaction', 'transaction_id')::regclass), 0)
           as transaction_max
     )
     select audit_max as "auditMax", transaction_max as "transactionMax", exists (
       select from borsello.audit_link
       where audit_through >= audit_max and transaction_through >= transaction_max) as "isSealed"
     from numbered`,
  );
  if (numbered === undefined || numbered.isSealed) return undefined;
  const drawn = await database.row(
    z.object({ before: z.string() }),
    "select pg_current_xact_id()::text as before",
  );
  return drawn === undefined ? undefined : { ...numbered, before: drawn.before };
};

const hasPassed = async (database: Queryable, { before }: Horizon): Promise<boolean> => {
  const row = z.object({ hasPassed: z.boolean() });
  const found = await database.row(
    row,
    `select pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8 as "hasPassed"`,
    [before],
  );
  return found?.hasPassed === true;
};

const waitFor = async (
  database: Queryable,
  horizon: Horizon,
  patienceMs: number,
): Promise<boolean> => {
  const giveUpAt = performance.now() + patienceMs;
  for (let pauseMs = 2; ; pauseMs *= 2) {
    if (await hasPassed(database, horizon)) return true;
    if (performance.now() + pauseMs > giveUpAt) return false;
    await sleep(pauseMs);
  }
};

export interface SealOptions {
  /** How long to wait for transactions that are under way. */
  readonly patienceMs: number;
  /** A link covers at most a thousand rows of each kind. */
  readonly linksMax: number;
  /** What an earlier call waited for in vain. */
  readonly pending?: Horizon | undefined;
}

/** Seals what is committed now; resolves to what it waited for in vain, for the next call. */
export const sealAudit = async (
  database: Queryable,
  { patienceMs, linksMax, pending }: SealOptions,
): Promise<Horizon | undefined> => {
  const horizon = pending ?? (await horizonOf(database));
  if (horizon === undefined) return undefined;
  if (!(await waitFor(database, horizon, patienceMs))) return horizon;
  const row = z.object({ mayGoOn: z.boolean() });
  for (let links = 0; links < linksMax; links += 1) {
    const appended = await database.row(
      row,
      `select borsello.append_audit_link($1, $2) as "mayGoOn"`,
      [horizon.auditMax, horizon.transactionMax],
    );
    if (appended?.mayGoOn !== true) return undefined;
  }
  return horizon;
};
