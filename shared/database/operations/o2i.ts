/** Card payments through the O2I contract: paid or declined once, in one round trip. */
import { z } from "zod";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { WalletRefusal } from "../access/wallet-access.js";
import type { Database } from "../platform/database.js";
import type { OperationCommand } from "./commands.js";

const Answer = z.object({
  /** Null: it was paid. */
  refusal: z.string().nullable(),
  /** The wallet's status or the limit's name that goes with the refusal. */
  detail: z.string().nullable(),
  availableBalance: z.number(),
});
export type O2iAnswer = z.output<typeof Answer>;

const Row = z.object({
  code: z.enum(["WalletNotFound", "WalletOfAnotherPartner"]).nullable(),
  answer: Answer.nullable(),
});

/** `refused`: what the request itself is refused for; its answer is kept like any other. */
export const payByO2i = async (
  database: Database,
  transactionId: string,
  refused: string | null,
  payment: OperationCommand & { readonly wallet_id: string },
): Promise<Outcome<O2iAnswer, WalletRefusal>> => {
  const row = await database.command(
    Row,
    "select code, answer from borsello.pay_by_o2i($1::json, $2, $3)",
    [JSON.stringify(payment), transactionId, refused],
  );
  if (row?.code != null) return refusal(row.code, { walletId: payment.wallet_id });
  if (row?.answer == null) throw new Error("A payment was neither made nor declined.");
  return success(row.answer);
};
