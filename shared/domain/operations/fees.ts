/** The fees of an operation, by its partner's rules: exact to the end, rounded once, half up. */
import { amountOf } from "../money.js";

export interface FeeRule {
  readonly family: string;
  readonly fixedCents: number;
  /** Per cent of the amount, with at most four decimals. */
  readonly percent: number;
  readonly minimumCents: number;
  readonly maximumCents: number | null;
  readonly beneficiary: string;
  readonly debtor: string;
}

/** As the API shows it (wallet seed, 2.1). */
export interface Fee {
  readonly amount: number;
  readonly beneficiary: string;
  readonly debtor: string;
}

export interface Fees {
  readonly totalCents: bigint;
  readonly fees: readonly Fee[];
}

/** A cent in the unit of the arithmetic: a ten-thousandth of a per cent of a cent. */
const cent = 1_000_000n;

const exactFee = (rule: FeeRule, amountCents: bigint): bigint => {
  const percent = BigInt(Math.round(rule.percent * 10_000));
  const exact = BigInt(rule.fixedCents) * cent + amountCents * percent;
  const atLeast = BigInt(rule.minimumCents) * cent;
  const atMost = rule.maximumCents === null ? null : BigInt(rule.maximumCents) * cent;
  const raised = exact < atLeast ? atLeast : exact;
  return atMost !== null && raised > atMost ? atMost : raised;
};

/**
 * The sum is rounded, not its parts; the cents that rounding leaves over go to the largest fractions,
 * so that the fees add up to what is charged.
 */
export const feesOf = (rules: readonly FeeRule[], family: string, amountCents: bigint): Fees => {
  const exact = rules
    .filter((rule) => rule.family === family)
    .map((rule) => ({ rule, exact: exactFee(rule, amountCents) }));
  const total = (exact.reduce((sum, fee) => sum + fee.exact, 0n) + cent / 2n) / cent;
  const floored = exact.reduce((sum, fee) => sum + fee.exact / cent, 0n);
  const byFraction = [...exact].sort((one, other) =>
    Number((other.exact % cent) - (one.exact % cent)),
  );
  const raised = new Set(byFraction.slice(0, Number(total - floored)));
  const fees = exact
    .map((fee) => ({ ...fee, cents: fee.exact / cent + (raised.has(fee) ? 1n : 0n) }))
    .filter(({ cents }) => cents > 0n)
    .map(({ rule: { beneficiary, debtor }, cents }) => ({
      amount: amountOf(cents),
      beneficiary,
      debtor,
    }));
  return { totalCents: total, fees };
};
