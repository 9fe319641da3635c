/** What a wallet's closing does with its funds: what can be withdrawn is paid to the validated IBAN. */
import type { Actor } from "../access/wallet-access.js";
import type { Queryable } from "../platform/database.js";

/**
 * One confirmed withdrawal for each bucket, without fee and limits (contract 4.2); without a validated
 * IBAN the funds stay. The caller holds the row of the wallet, which is closed.
 */
export const payOutFunds = async (
  tx: Queryable,
  { clientId }: Pick<Actor, "clientId">,
  walletId: string,
): Promise<void> => {
  await tx.execute("select borsello.pay_out_closed($1, $2)", [walletId, clientId]);
};
