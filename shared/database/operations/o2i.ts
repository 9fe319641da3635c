/** Card payments through the O2I contract: paid or declined once, in one round trip; and given back once. */
import { z } from "zod";
import type { PartnerSettings } from "../../contracts/platform/partner-settings.js";
import { centsOf } from "../../domain/money.js";
import { feesOf } from "../../domain/operations/fees.js";
import { responseCodeOf, whyNotPaid, type O2iRequest } from "../../domain/operations/o2i.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import { requestHash } from "../../platform/request-hash.js";
import type { Actor, WalletRefusal } from "../access/wallet-access.js";
import { limitBounds } from "../ledger/limit-bounds.js";
import type { Database } from "../platform/database.js";
import type { OperationCommand } from "./commands.js";

const Answer = z.object({
  /** Null: it was paid. */
  refusal: z.string().nullable(),
  /** The wallet's status or the limit's name that goes with the refusal. */
  detail: z.string().nullable(),
  /** Null: there is no wallet that could have one. */
  availableBalance: z.number().nullable(),
});

const Row = z.object({
  code: z.enum(["WalletNotFound", "WalletOfAnotherPartner"]).nullable(),
  answer: Answer.nullable(),
});

export interface Payer extends Actor {
  readonly isOperator: boolean;
  readonly settings: PartnerSettings;
}

export interface Payment extends O2iRequest {
  readonly transactionId: string;
  readonly refTransactionId: string | null;
  readonly billingAmount: number;
}

export interface O2iAnswer {
  readonly responseCode: string;
  readonly availableBalance: number;
}

/** `request` is kept as the operation's metadata. Every answer is kept, declines too: a repeat gets it. */
export const payByO2i = async (
  database: Database,
  { partnerKey, clientId, isOperator, settings }: Payer,
  walletId: string,
  payment: Payment,
  { request, tags }: { readonly request: unknown; readonly tags: unknown },
): Promise<Outcome<O2iAnswer, WalletRefusal>> => {
  const { transactionId, billingAmount, type, refTransactionId } = payment;
  const cents = centsOf(billingAmount);
  const refused = whyNotPaid(payment) ?? (cents === undefined ? "AmountScaleInvalid" : null);
  const { totalCents, fees } = feesOf(settings.fees, "Payment", cents ?? 0n);
  const command: OperationCommand = {
    kind: "initialise",
    partner_key: partnerKey,
    actor: clientId,
    is_operator: isOperator,
    limits: limitBounds(settings),
    wallet_id: walletId,
    type: "Payment",
    // Times and codes of the network may differ when it asks again; what is paid may not.
    request_hash: requestHash({ walletId, billingAmount, type, ref: refTransactionId }),
    amount_cents: String(cents ?? 0n),
    fees_amount_cents: String(totalCents),
    fees,
    funds_type: "Standard",
    tags,
    metadata: { o2i: request },
    expires_after: `${settings.operations.expiryMinutes} minutes`,
  };
  const row = await database.command(
    Row,
    "select code, answer from borsello.pay_by_o2i($1::json, $2, $3)",
    [JSON.stringify(command), transactionId, refused],
  );
  if (row?.code != null) return refusal(row.code, { walletId });
  if (row?.answer == null) throw new Error("A payment was neither made nor declined.");
  const { refusal: why, detail, availableBalance } = row.answer;
  return success({
    responseCode: responseCodeOf(why, detail),
    availableBalance: availableBalance ?? 0,
  });
};

/**
 * Gives the payment back that was made under this identifier, once; without one, none is made under it any
 * more. `walletId` is the one whose balance is answered where nothing is known of a payment.
 */
export const reverseO2iPayment = async (
  database: Database,
  { partnerKey, clientId }: Actor,
  transactionId: string,
  walletId: string | null,
): Promise<number> => {
  const row = await database.command(
    z.object({ answer: Answer }),
    "select borsello.reverse_o2i_payment($1, $2, $3, $4) as answer",
    [partnerKey, transactionId, walletId, clientId],
  );
  return row?.answer.availableBalance ?? 0;
};
