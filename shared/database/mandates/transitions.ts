/** One guarded change of a mandate's status: a statement that touches no row where the status is another. */
import type { Queryable } from "../platform/database.js";

/** False: the mandate is in none of the statuses that the statement names, and nothing happened. */
export const transition = async (
  tx: Queryable,
  statement: string,
  mandateId: string,
  actor: string,
  ...values: readonly unknown[]
): Promise<boolean> => (await tx.execute(statement, [mandateId, actor, ...values])) === 1;
