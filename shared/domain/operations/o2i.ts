/** Card payments that the card platform asks for: which are paid, and the response code of those that are not (ISO 8583, field 39). */

/** ISO 4217 of the euro, in which every wallet is kept. */
export const euro = 978;

/** Purchase, withdrawal at a cash machine, cash advance: what takes money now (card seed, 2.7). */
const paidTypes: readonly number[] = [0, 1, 17];

export interface O2iRequest {
  readonly type: number | null;
  readonly transactionCurrency: number | null;
  readonly billingCurrency: number | null;
  /** What the card processor has decided itself; null: nothing yet. */
  readonly responseCode: string | null;
}

/** Why a request is refused before any wallet is looked at; null: nothing speaks against it. */
export const whyNotPaid = (request: O2iRequest): string | null => {
  const { type, billingCurrency, transactionCurrency, responseCode } = request;
  if (responseCode !== null && !/^0*$/.test(responseCode)) return "RefusedByProcessor";
  if (type === null || !paidTypes.includes(type)) return "TransactionTypeNotSupported";
  return (billingCurrency ?? transactionCurrency ?? euro) === euro ? null : "CurrencyNotSupported";
};

const responseCodes: Readonly<Record<string, string>> = {
  RefusedByProcessor: "05",
  TransactionTypeNotSupported: "12",
  CurrencyNotSupported: "12",
  AmountScaleInvalid: "13",
  "LimitExceeded minimum": "13",
  "WalletNotActive Closed": "14",
  InsufficientBalance: "51",
  BucketAmbiguous: "51",
  FundsExpired: "51",
  LimitExceeded: "61",
  WalletNotActive: "62",
  DuplicateTransaction: "94",
};

/** `detail`: the wallet's status or the limit that is violated. */
export const responseCodeOf = (refusal: string | null, detail: string | null): string => {
  if (refusal === null) return "00";
  return responseCodes[`${refusal} ${detail ?? ""}`] ?? responseCodes[refusal] ?? "05";
};
