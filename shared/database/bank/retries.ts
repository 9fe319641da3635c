/** Transfers that wait for a change of their wallet: tried again when it comes, sent back when the wallet closes. */
import type { Actor } from "../access/wallet-access.js";
import type { Queryable } from "../platform/database.js";

/**
 * Called by a change of the wallet's state or its holder's names, in its transaction, after it. The
 * flow of the IBAN validation, or their own, then looks at those transfers again that fitted in all else.
 */
export const retryTransfers = async (tx: Queryable, walletId: string): Promise<void> => {
  await tx.execute("select borsello.retry_transfers($1)", [walletId]);
};

/** Called by the closing of a wallet, in its transaction, after it: what waits for the wallet is sent back. */
export const returnWaiting = async (
  tx: Queryable,
  { clientId }: Pick<Actor, "clientId">,
  walletId: string,
): Promise<void> => {
  await tx.execute("select borsello.return_waiting($1, $2)", [walletId, clientId]);
};
