/** What a request is about: the amount that the account is charged, in the currency that it is kept in. */
import { centsOf } from "../money.js";
import { refusal, success, type Outcome } from "../outcome.js";

/** ISO 4217 of the euro, in which every account is kept. */
export const euro = 978;

export interface Amounts {
  readonly transactionAmount: number | null;
  readonly transactionCurrency: number | null;
  readonly billingAmount: number | null;
  readonly billingCurrency: number | null;
}

/** Cents; null: the request has no amount that could be charged. */
export const billedCents = (
  request: Amounts,
): Outcome<bigint | null, "CurrencyNotSupported" | "AmountScaleInvalid"> => {
  const { transactionAmount, transactionCurrency, billingAmount, billingCurrency } = request;
  const currency = billingCurrency ?? transactionCurrency ?? euro;
  if (currency !== euro) return refusal("CurrencyNotSupported", { currency: String(currency) });
  // An amount in another currency is none that could be charged.
  const own = (transactionCurrency ?? euro) === euro ? transactionAmount : null;
  const amount = billingAmount ?? own;
  if (amount === null) return success(null);
  const cents = centsOf(amount);
  return cents === undefined
    ? refusal("AmountScaleInvalid", { billingAmount: String(amount) })
    : success(cents);
};
