/** The risk of a purchase by the rules of the contract: each bound from both sides. */
import { expect, test } from "vitest";
import { assess, type LowValueUse, type Purchase } from "../../../shared/domain/threeds/risk.js";

const nothing: LowValueUse = { uses: 0, sumCents: 0n };
const terms: LowValueUse = { uses: 5, sumCents: 100_00n };

const purchase = (
  purchaseAmount: string,
  merchantFraudRate: number,
  change: Partial<Purchase> = {},
): Purchase => ({
  ...{ purchaseAmount, purchaseExponent: 2, purchaseCurrency: "978", merchantFraudRate },
  ...{ isListed: false, ...change },
});

const levelOf = (bought: Purchase, used = nothing, isPayable = true): string => {
  const { riskLevel, exemption } = assess(bought, isPayable, used, terms);
  return `${riskLevel} ${exemption ?? "-"}`;
};

const rate13 = 13;

test.each([
  // Up to 100 with 13 basis points, up to 250 with 6, up to 500 with 1.
  ["10000", 13, "LOW riskAnalysis"],
  ["10000", 14, "MEDIUM -"],
  ["10001", 13, "MEDIUM -"],
  ["10001", 6, "LOW riskAnalysis"],
  ["25000", 6, "LOW riskAnalysis"],
  ["25000", 7, "MEDIUM -"],
  ["25001", 6, "MEDIUM -"],
  ["25001", 1, "LOW riskAnalysis"],
  ["50000", 1, "LOW riskAnalysis"],
  ["50000", 2, "MEDIUM -"],
  // Above 500 nothing is analysed away, and with more than 13 it is HIGH.
  ["50001", 0, "MEDIUM -"],
  ["50000", 14, "MEDIUM -"],
  ["50001", 13, "MEDIUM -"],
  ["50001", 14, "HIGH -"],
  // Up to 30 whatever the merchant's rate.
  ["3000", 14, "LOW lowValue"],
  ["3001", 14, "MEDIUM -"],
  ["0", 2_147_483_647, "LOW lowValue"],
  ["9".repeat(48), 14, "HIGH -"],
])("%s cents at %i basis points is %s", (amount, rate, level) => {
  expect(levelOf(purchase(amount, rate))).toBe(level);
});

test.each([
  [{ uses: 4, sumCents: 0n }, "3000", "LOW lowValue"],
  [{ uses: 5, sumCents: 0n }, "1", "MEDIUM -"],
  [{ uses: 3, sumCents: 70_00n }, "3000", "LOW lowValue"],
  [{ uses: 3, sumCents: 70_01n }, "3000", "MEDIUM -"],
  [{ uses: 3, sumCents: 100_00n }, "0", "LOW lowValue"],
])("after %o another %s cents are %s", (used, amount, level) => {
  expect(levelOf(purchase(amount, 14), used)).toBe(level);
  // What the merchant's low rate lets pass needs no use of the low value.
  expect(levelOf(purchase(amount, rate13), used)).toBe("LOW riskAnalysis");
});

test("a listed merchant passes at any amount, rate and currency", () => {
  const isListed = true;
  for (const change of [{ isListed }, { isListed, purchaseCurrency: "840" }])
    expect(levelOf(purchase("900000", 99, change))).toBe("LOW trustedMerchant");
});

test("a card that cannot pay is HIGH whatever else speaks for the purchase", () => {
  for (const bought of [purchase("1", 0), purchase("1", 0, { isListed: true })])
    expect(levelOf(bought, nothing, false)).toBe("HIGH -");
});

test.each([
  ["30", 0, "LOW lowValue"],
  ["31", 0, "MEDIUM -"],
  ["300", 1, "LOW lowValue"],
  ["301", 1, "MEDIUM -"],
  ["30000", 3, "LOW lowValue"],
  ["30001", 3, "MEDIUM -"],
])("%s with an exponent of %i is compared in euro: %s", (amount, purchaseExponent, level) => {
  expect(levelOf(purchase(amount, 14, { purchaseExponent }))).toBe(level);
});

test.each(["1", "60000"])("%s of another currency is MEDIUM: nobody told its value", (amount) => {
  expect(levelOf(purchase(amount, 14, { purchaseCurrency: "840" }))).toBe("MEDIUM -");
});
