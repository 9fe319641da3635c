/** How risky a purchase is, by the exemptions of the RTS on strong authentication (contract 5; EU 2018/389). */

export const riskLevels = ["LOW", "MEDIUM", "HIGH"] as const;
export type RiskLevel = (typeof riskLevels)[number];

export interface Purchase {
  /** Digits alone, in the currency's minor units. */
  readonly purchaseAmount: string;
  readonly purchaseExponent: number;
  /** ISO 4217, three digits. */
  readonly purchaseCurrency: string;
  /** Basis points. */
  readonly merchantFraudRate: number;
  /** The card holder trusts this merchant. */
  readonly isListed: boolean;
}

/** What passed for its low value since the card holder was last authenticated. */
export interface LowValueUse {
  readonly uses: number;
  readonly sumCents: bigint;
}

export type LowValueTerms = LowValueUse;

/** Why a purchase may pass: the merchant is trusted (art. 13), seldom defrauded (18), the value is low (16). */
export type Exemption = "trustedMerchant" | "riskAnalysis" | "lowValue";

export interface Assessment {
  readonly riskLevel: RiskLevel;
  /** Null: there is none. */
  readonly exemption: Exemption | null;
}

const euro = "978";
const lowValueCentsMax = 30_00n;

/** The annex: up to this amount, with at most so many basis points of fraud. */
const bands = [
  { centsMax: 100_00n, rateMax: 13 },
  { centsMax: 250_00n, rateMax: 6 },
  { centsMax: 500_00n, rateMax: 1 },
] as const;
const highCents = 500_00n;
const highRate = 13;

/** A part of a cent counts as one. Undefined: another currency, whose value in euro nobody told. */
export const euroCentsOf = ({
  purchaseAmount,
  purchaseExponent,
  purchaseCurrency,
}: Pick<Purchase, "purchaseAmount" | "purchaseExponent" | "purchaseCurrency">):
  bigint | undefined => {
  if (purchaseCurrency !== euro) return undefined;
  const amount = BigInt(purchaseAmount);
  if (purchaseExponent <= 2) return amount * 10n ** BigInt(2 - purchaseExponent);
  const parts = 10n ** BigInt(purchaseExponent - 2);
  return (amount + parts - 1n) / parts;
};

const isOfLowValue = (cents: bigint, used: LowValueUse, terms: LowValueTerms): boolean =>
  cents <= lowValueCentsMax && used.uses < terms.uses && used.sumCents + cents <= terms.sumCents;

const exemptionOf = (
  cents: bigint | undefined,
  { merchantFraudRate, isListed }: Purchase,
  used: LowValueUse,
  terms: LowValueTerms,
): Exemption | null => {
  if (isListed) return "trustedMerchant";
  if (cents === undefined) return null;
  if (bands.some(({ centsMax, rateMax }) => cents <= centsMax && merchantFraudRate <= rateMax))
    return "riskAnalysis";
  return isOfLowValue(cents, used, terms) ? "lowValue" : null;
};

/**
 * A card that cannot pay is HIGH whatever else speaks for the purchase. The low-value exemption is the last
 * one that is looked for: what passes without it does not use it up.
 */
export const assess = (
  purchase: Purchase,
  isPayable: boolean,
  used: LowValueUse,
  terms: LowValueTerms,
): Assessment => {
  if (!isPayable) return { riskLevel: "HIGH", exemption: null };
  const cents = euroCentsOf(purchase);
  const exemption = exemptionOf(cents, purchase, used, terms);
  if (exemption !== null) return { riskLevel: "LOW", exemption };
  const isHigh = cents !== undefined && cents > highCents && purchase.merchantFraudRate > highRate;
  return { riskLevel: isHigh ? "HIGH" : "MEDIUM", exemption: null };
};
