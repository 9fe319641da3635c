/** Fees of several rules: added up exactly, rounded once, half up; what is shown adds up to what is charged. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { feesOf, type FeeRule } from "../../../shared/domain/operations/fees.js";

const rule = (change: Partial<FeeRule>): FeeRule => ({
  ...{ family: "Payment", fixedCents: 0, percent: 0, minimumCents: 0, maximumCents: null },
  ...{ beneficiary: "platform", debtor: "wallet" },
  ...change,
});

test.each([
  ["two halves of a cent are one cent", [{ percent: 0.5 }, { percent: 0.5 }], 100n, 1n],
  ["half a cent is a cent", [{ percent: 0.5 }], 100n, 1n],
  ["less than half a cent is none", [{ percent: 0.4999 }], 100n, 0n],
  ["three thirds are not three cents", Array(3).fill({ percent: 0.6 }), 100n, 2n],
  ["a minimum raises", [{ percent: 1, minimumCents: 50 }], 1_000n, 50n],
  ["a maximum caps", [{ fixedCents: 10, percent: 10, maximumCents: 60 }], 1_000n, 60n],
  ["another family's rules do not count", [{ family: "CashDeposit", fixedCents: 100 }], 100n, 0n],
] as readonly [string, Partial<FeeRule>[], bigint, bigint][])(
  "%s",
  (_name, rules, cents, total) => {
    expect(feesOf(rules.map(rule), "Payment", cents).totalCents).toBe(total);
  },
);

const anyRule = fc
  .record({
    fixedCents: fc.integer({ min: 0, max: 500 }),
    percent: fc.integer({ min: 0, max: 1_000_000 }).map((each) => each / 10_000),
    minimumCents: fc.integer({ min: 0, max: 100 }),
    maximumCents: fc.option(fc.integer({ min: 100, max: 10_000 })),
    beneficiary: fc.constantFrom("platform", "scheme", "dealer"),
  })
  .map(rule);

test("the fees shown add up to the total, which is within half a cent of the exact sum", () => {
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 6 }), fc.bigInt(1n, 10_000_000n), (rules, cents) => {
      const { totalCents, fees } = feesOf(rules, "Payment", cents);
      const shown = fees.reduce((sum, { amount }) => sum + BigInt(Math.round(amount * 100)), 0n);
      expect(shown).toBe(totalCents);
      // In millionths of a cent.
      const exact = rules.reduce((sum, { percent, fixedCents, minimumCents, maximumCents }) => {
        const asked =
          BigInt(fixedCents) * 1_000_000n + cents * BigInt(Math.round(percent * 10_000));
        const least = BigInt(minimumCents) * 1_000_000n;
        const raised = asked < least ? least : asked;
        const most = maximumCents === null ? raised : BigInt(maximumCents) * 1_000_000n;
        return sum + (raised > most ? most : raised);
      }, 0n);
      const rest = totalCents * 1_000_000n - exact;
      expect(rest > -500_000n && rest <= 500_000n).toBe(true);
    }),
  );
});
