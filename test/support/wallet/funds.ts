/** Funds for tests: a confirmed deposit, and an initialised debit that holds a part of it. */
import { z } from "zod";
import type { Database } from "../../../shared/database/platform/database.js";
import {
  bankAccountOf,
  openBucket,
  post,
  type FundsType,
} from "../../../shared/database/ledger/ledger.js";
import { movement } from "../../../shared/domain/ledger/posting.js";

const Operation = z.object({ operationId: z.string() });

interface Funds {
  readonly type: string;
  readonly fundsType?: FundsType;
  readonly status: string;
  readonly cents: bigint;
}

const write = (
  database: Database,
  walletId: string,
  { type, fundsType = "Standard", status, cents }: Funds,
): Promise<string> =>
  database.transaction(async (tx) => {
    const owner = z.object({ partnerKey: z.string() });
    const found = await tx.row(
      owner,
      `select partner_key as "partnerKey" from borsello.wallet where wallet_id = $1 for no key update`,
      [walletId],
    );
    if (found === undefined) throw new Error(`no wallet ${walletId}`);
    const { partnerKey } = found;
    const { bucketId, accountId } = await openBucket(tx, {
      walletId,
      partnerKey,
      fundsType,
      fundsExpiryDate: null,
      isWithdrawable: fundsType === "Standard",
    });
    const operation = await tx.row(
      Operation,
      `insert into borsello.operation (wallet_id, partner_key, type, amount_cents,
         final_amount_cents, net_amount_cents, fees_amount_cents, status, funds_type, bucket_id)
       values ($1, $2, $3, $4, $4, $4, 0, $5, $6, $7) returning operation_id as "operationId"`,
      [walletId, partnerKey, type, cents, status, fundsType, bucketId],
    );
    if (operation === undefined) throw new Error("no operation was written");
    const { operationId } = operation;
    if (status === "Confirmed")
      await post(
        tx,
        movement(operationId, "Deposit", {
          from: await bankAccountOf(tx, partnerKey),
          to: accountId,
          amountCents: cents,
        }),
      );
    return operationId;
  });

export const creditWallet = (
  database: Database,
  walletId: string,
  cents: bigint,
  more: { readonly type?: string; readonly fundsType?: FundsType } = {},
): Promise<string> =>
  write(database, walletId, { type: "CashDeposit", status: "Confirmed", cents, ...more });

export const holdFunds = (database: Database, walletId: string, cents: bigint): Promise<string> =>
  write(database, walletId, { type: "Payment", status: "Initialized", cents });
