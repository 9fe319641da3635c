/** Records of the processor's files: a line of JSON each, as its events told them (contract 0.3). */
import { z } from "zod";
import { centsOf } from "../../domain/money.js";

const cents = (amount: number, context: z.RefinementCtx): bigint => {
  const found = centsOf(amount);
  if (found !== undefined) return found;
  context.addIssue({ code: "custom", message: "must have at most two decimals" });
  return z.NEVER;
};

const Reference = z.string().min(1).max(128);
const Amount = z.number().positive().transform(cents);
const Line = z.string().max(1_000);

const shared = { cardId: z.uuid(), currency: z.literal("EUR") } as const;

export const IncomingPresentment = z.strictObject({
  presentmentId: Reference,
  ...shared,
  amount: Amount,
  merchantName: Line,
  merchantCountry: z.string().length(3),
  type: z.int(),
  isReversal: z.boolean(),
  mcc: z.int().nullable(),
  feeAmount: z.number().nonnegative().transform(cents),
  transactionDate: z.iso.datetime(),
});

export const IncomingFee = z.strictObject({
  feeId: Reference,
  ...shared,
  amount: Amount,
  feeType: Line,
  feeCode: Line,
  feeDescription: Line,
});
