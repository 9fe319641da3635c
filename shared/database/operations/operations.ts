/** Operations on a wallet's funds. Incoming credits are initialised and confirmed in one go. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

export type IncomingType = "SctStandardDeposit" | "SctInstantDeposit" | "SddDeposit";

export interface IncomingCredit {
  readonly type: IncomingType;
  readonly walletId: string;
  readonly amountCents: bigint;
  readonly bankNotificationId: string;
}

const Credited = z.object({ operationId: z.string() });

/**
 * Credits what the bank reports in the caller's transaction, which holds the wallet's row: without fees, from
 * Initialized to Confirmed at once. `from`: on which account of the partner's books the money lies.
 */
export const creditIncoming = async (
  tx: Queryable,
  credit: IncomingCredit,
  from: "Bank" | "Suspense",
): Promise<string> => {
  const credited = await tx.row(
    Credited,
    `select (credited).operation_id as "operationId" from (
       select borsello.credit_incoming($1, wallet_id, $3, borsello.account_for(partner_key, $5::text,
         case $5::text when 'Suspense' then 'received' else 'safeguarding' end),
         uuidv7(), $4, 'platform') as credited
       from borsello.wallet where wallet_id = $2) as one`,
    [credit.type, credit.walletId, credit.amountCents, credit.bankNotificationId, from],
  );
  if (credited === undefined) throw new Error(`nothing was credited to ${credit.walletId}`);
  return credited.operationId;
};

/**
 * Cancels what is initialised and not yet confirmed, the pending group first, so that nothing of the
 * wallet's funds stays held. The caller holds the wallet's row.
 */
export const cancelOpenOperations = async (
  tx: Queryable,
  walletId: string,
  actor: string,
  feedback: string,
): Promise<void> => {
  await tx.execute(
    `select borsello.end_group(operation_group_id, $2, 'cancel', 'Cancelled', $3)
     from borsello.operation_group where wallet_id = $1 and status = 'Initialized'`,
    [walletId, actor, feedback],
  );
  await tx.execute(
    `select borsello.end_operation(operation_id, $2, 'cancel', 'Cancelled', $3) from (
       select operation_id from borsello.operation
       where wallet_id = $1 and status = 'Initialized' order by operation_id) as open`,
    [walletId, actor, feedback],
  );
};
