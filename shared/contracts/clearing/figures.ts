/** The families of amounts and counts of clearings, by kind and zone (card seed, 2.5 and 2.6). */
import { z } from "zod";

const amount = z.number();
const count = z.int();

/** Of a bookmark: both zones and both files together. */
export const bookmarkAmounts = {
  interchangeDebitAmount: amount,
  interchangeDebitReversalAmount: amount,
  interchangeCreditAmount: amount,
  interchangeCreditReversalAmount: amount,
  feeDebitAmount: amount,
  feeDebitReversalAmount: amount,
  feeCreditAmount: amount,
  feeCreditReversalAmount: amount,
} as const;

/** Interchange: what was presented. Fee: what the processor charged for it, or by itself. */
export const clearingFigures = {
  interchangeDebitAmountEuroZone: amount,
  interchangeDebitAmountNonEuroZone: amount,
  interchangeDebitReversalAmountEuroZone: amount,
  interchangeDebitReversalAmountNonEuroZone: amount,
  interchangeCreditAmountEuroZone: amount,
  interchangeCreditAmountNonEuroZone: amount,
  interchangeCreditReversalAmountEuroZone: amount,
  interchangeCreditReversalAmountNonEuroZone: amount,
  feeDebitAmountEuroZone: amount,
  feeDebitAmountNonEuroZone: amount,
  feeDebitReversalAmountEuroZone: amount,
  feeDebitReversalAmountNonEuroZone: amount,
  feeCreditAmountEuroZone: amount,
  feeCreditAmountNonEuroZone: amount,
  feeCreditReversalAmountEuroZone: amount,
  feeCreditReversalAmountNonEuroZone: amount,
  debitsCountEuroZone: count,
  debitsCountNonEuroZone: count,
  debitReversalsCountEuroZone: count,
  debitReversalsCountNonEuroZone: count,
  creditsCountEuroZone: count,
  creditsCountNonEuroZone: count,
  creditReversalsCountEuroZone: count,
  creditReversalsCountNonEuroZone: count,
} as const;

/** What the affiliate's share reduces them by. */
export const clearingDeductions = {
  deductionCreditEuroZone: amount,
  deductionCreditNonEuroZone: amount,
  deductionCreditReversalEuroZone: amount,
  deductionCreditReversalNonEuroZone: amount,
  deductionDebitEuroZone: amount,
  deductionDebitNonEuroZone: amount,
  deductionDebitReversalEuroZone: amount,
  deductionDebitReversalNonEuroZone: amount,
  deductionFeeCreditEuroZone: amount,
  deductionFeeCreditNonEuroZone: amount,
  deductionFeeCreditReversalEuroZone: amount,
  deductionFeeCreditReversalNonEuroZone: amount,
  deductionFeeDebitEuroZone: amount,
  deductionFeeDebitNonEuroZone: amount,
  deductionFeeDebitReversalEuroZone: amount,
  deductionFeeDebitReversalNonEuroZone: amount,
} as const;
