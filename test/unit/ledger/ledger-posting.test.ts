/** The ledger's arithmetic and the rules of money and matching, without a database. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decisionByCents, outcomesOf } from "../../../shared/domain/bank/sandbox-script.js";
import { mismatchOf, possibleCodes } from "../../../shared/domain/bank/sct-match.js";
import { movement } from "../../../shared/domain/ledger/posting.js";
import { amountOf, centsOf } from "../../../shared/domain/money.js";

describe("a movement", () => {
  test("sums to zero, whatever the amount", () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 15n), (amountCents) => {
        const { entries } = movement("op", "Deposit", { from: 1n, to: 2n, amountCents });
        expect(entries.reduce((sum, entry) => sum + entry.amountCents, 0n)).toBe(0n);
        expect(entries.find(({ accountId }) => accountId === 2n)?.amountCents).toBe(amountCents);
      }),
    );
  });

  test.each([0n, -1n])("of %s cents is refused", (amountCents) => {
    expect(() => movement("op", "Deposit", { from: 1n, to: 2n, amountCents })).toThrow("positive");
  });

  test("from an account to itself is refused", () => {
    expect(() => movement("op", "Deposit", { from: 1n, to: 1n, amountCents: 1n })).toThrow();
  });
});

describe("money at the edge", () => {
  test("comes back unchanged from cents", () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 13n), 10n ** 13n), (cents) => {
        expect(centsOf(amountOf(cents))).toBe(cents);
      }),
    );
  });

  test.each([0.001, 1.005, 10.999, Number.NaN, Number.POSITIVE_INFINITY, 1e30])(
    "%s has no cents",
    (amount) => {
      expect(centsOf(amount)).toBeUndefined();
    },
  );
});

describe("matching a transfer", () => {
  const expected = {
    code: "K7M2P9QX",
    iban: "IT60X0542811101000000123456",
    firstName: "Nicolò",
    lastName: "D'Angelo",
    transferAmountCents: 100n,
    walletStatus: "Active",
  };
  const sct = {
    reason: "verifica k7m2 p9qx grazie",
    debtorIban: "it60 x054 2811 1010 0000 0123 456",
    debtorName: "D'ANGELO NICOLO",
    amountCents: 100n,
  };

  test("forgives case, spaces, accents and the order of names", () => {
    expect(mismatchOf(sct, expected)).toBeUndefined();
  });

  test("takes more than the amount that is asked for", () => {
    expect(mismatchOf({ ...sct, amountCents: 5_000n }, expected)).toBeUndefined();
  });

  test.each([
    ["Code", { reason: "K7M2P9Q" }, {}, "K7M2P9QX"],
    ["DebtorIban", { debtorIban: "IT60X0542811101000000123457" }, {}, expected.iban],
    ["Amount", { amountCents: 99n }, {}, "1.00 or more"],
    ["DebtorName", { debtorName: "D'Angelo" }, {}, "Nicolò and D'Angelo"],
    ["Wallet", {}, { walletStatus: "Suspended" }, "Active"],
  ])("names the rule %s and what would fit, when it fails alone", (rule, sent, awaited, fits) => {
    const mismatch = mismatchOf({ ...sct, ...sent }, { ...expected, ...awaited });
    expect(mismatch?.rule).toBe(rule);
    expect(mismatch?.feedback).toMatch(new RegExp(`^${rule}: .*${fits}`));
  });

  test("names what may change by itself only where all else fits", () => {
    const suspended = { ...expected, walletStatus: "Suspended" };
    const wrong = { ...sct, debtorName: "Somebody Else" };
    expect(mismatchOf(wrong, suspended)?.rule).toBe("DebtorName");
    expect(mismatchOf({ ...wrong, amountCents: 99n }, suspended)?.rule).toBe("Amount");
  });

  test("finds the code wherever it stands in a reason", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        expect(possibleCodes(`${before}K7M2P9QX${after}`)).toContain("K7M2P9QX");
      }),
    );
  });
});

test.each([
  ["transfer", 10.99, ["accepted", "booked"]],
  ["transfer", 10.98, ["accepted", "booked"]],
  ["directDebit", 10.99, ["refused"]],
  ["return", 10, ["accepted", "booked"]],
  ["mandateActivation", 49.99, ["refused"]],
  ["payment", 10.98, []],
  ["payment", 10, ["accepted", "booked"]],
  ["mandateRevocation", undefined, ["accepted"]],
])("the sandbox bank answers a %s of %s with %j", (kind, amount, outcomes) => {
  expect(outcomesOf(kind, decisionByCents({ kind, amount }))).toEqual(outcomes);
});

test.each([
  ["payment", "returned", ["accepted", "booked", "returned"]],
  ["mandateActivation", "returned", ["accepted"]],
  ["transfer", "silent", []],
] as const)("scripted, it answers a %s that is %s with %j", (kind, decision, outcomes) => {
  expect(outcomesOf(kind, decision)).toEqual(outcomes);
});
