/** Asks the bank to revoke what it knows of a mandate, anew where it refused or kept silent, and settles its answers. */
import { z } from "zod";
import type { Database } from "../platform/database.js";

/** The open revocation that the caller knows; `seen`: when the bank was asked last. */
export interface SeenRevocation {
  readonly seen: string | null;
  /** Absent: that of the mandate's own reference. */
  readonly reference: string | undefined;
}

const Locked = z.object({
  reference: z.string(),
  isOpen: z.boolean(),
  askedAt: z.string().nullable(),
});

/**
 * Two callers who know the same make one request. True when it was this call that asked. A mandate that
 * waits to be disabled without a revocation gets one.
 */
export const requestRevocation = (
  database: Database,
  mandateId: string,
  { seen, reference }: SeenRevocation,
): Promise<boolean> =>
  database.transaction(async (tx) => {
    const lock = "select from borsello.mandate where mandate_id = $1 for no key update";
    await tx.execute(lock, [mandateId]);
    const found = await tx.row(
      Locked,
      `select coalesce($2, m.mandate_unique_reference) as reference,
         borsello.iso(v.asked_at) as "askedAt", case when v.mandate_id is null
           then m.status = 'DisableRequested' else v.ended_at is null end as "isOpen"
       from borsello.mandate as m left join borsello.mandate_revocation as v
         on v.mandate_id = m.mandate_id
         and v.mandate_unique_reference = coalesce($2, m.mandate_unique_reference)
       where m.mandate_id = $1`,
      [mandateId, reference ?? null],
    );
    if (found === undefined || !found.isOpen || found.askedAt !== seen) return false;
    await tx.execute(
      "select borsello.revoke_at_bank(m, $2) from borsello.mandate as m where mandate_id = $1",
      [mandateId, found.reference],
    );
    return true;
  });

const Settled = z.object({ isSettled: z.boolean() });

/** Ends what the bank has decided, and with the last revocation the mandate that waits for it. */
export const settleRevocations = async (
  database: Database,
  mandateId: string,
): Promise<boolean> => {
  const settled = await database.command(
    Settled,
    `select borsello.settle_revocations($1) as "isSettled"`,
    [mandateId],
  );
  return settled?.isSettled ?? false;
};
