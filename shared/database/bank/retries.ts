/** Transfers that did not fit for a while only: tried again when what they failed by has changed. */
import type { Queryable } from "../platform/database.js";

/**
 * Called by a change of the wallet's state or its holder's names, in its transaction, after it. The
 * flow of the IBAN validation then looks at those transfers again that fitted in all else.
 */
export const retryTransfers = async (tx: Queryable, walletId: string): Promise<void> => {
  await tx.execute("select borsello.retry_transfers($1)", [walletId]);
};
