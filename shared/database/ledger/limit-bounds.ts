/** The bounds of a partner's wallets, as `borsello.limit_bounds` takes them. */
import type { PartnerSettings } from "../../contracts/platform/partner-settings.js";

/** Cents, as numbers that JSON carries exactly. */
export interface LimitBounds {
  readonly minimum: number;
  readonly minimum_payment: number;
  readonly maximum: number;
  readonly maximum_cash: number;
  readonly cash_deposit: number;
  readonly cash_withdrawal: number;
  readonly sdd_deposit: number;
  readonly welfare_deposit: number;
}

export const limitBounds = ({ limits }: Pick<PartnerSettings, "limits">): LimitBounds => ({
  minimum: limits.minimumCents,
  minimum_payment: limits.minimumPaymentCents,
  maximum: limits.maximumCents,
  maximum_cash: limits.maximumCashCents,
  cash_deposit: limits.lastMonthCashDepositCents,
  cash_withdrawal: limits.lastMonthCashWithdrawalCents,
  sdd_deposit: limits.lastMonthSddDepositCents,
  welfare_deposit: limits.annualWelfareDepositCents,
});
