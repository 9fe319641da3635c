/** What becomes of a request of the card network: types, states of card and account, limits, what came before. */
import { describe, expect, test } from "vitest";
import {
  decide,
  type Decision,
  type Earlier,
  type Facts,
  type Order,
} from "../../../shared/domain/authorisations/decision.js";
import { billedCents, type Amounts } from "../../../shared/domain/authorisations/amounts.js";
import {
  countedIn,
  defaultLimits,
  type Used,
} from "../../../shared/domain/authorisations/limits.js";
import {
  transactionTypes,
  type TransactionType,
} from "../../../shared/domain/authorisations/types.js";
import { partnerSettings } from "../../../shared/contracts/platform/partner-settings.js";
import { cardLimitTypes } from "../../../shared/domain/card/limit-types.js";
import { cardReasons, cardStatuses } from "../../../shared/domain/card/statuses.js";

const nothing: Used = {
  ...{ dailyOverall: 0n, weeklyOverall: 0n, monthlyOverall: 0n, yearlyOverall: 0n },
  ...{ dailyAtm: 0n, monthlyAtm: 0n, dailyEcommerce: 0n, monthlyEcommerce: 0n },
};

const orderOf = (changes: Partial<Order> = {}): Order => ({
  ...{ transactionId: "T", kind: "request", type: 0, cardScheme: 3, source: "P" },
  ...{ responseCode: null, refTransactionId: null, cents: 3_000n },
  ...changes,
});

const factsOf = (changes: Partial<Facts> = {}): Facts => ({
  ...{ cardId: "C", cardStatus: "Active", cardReason: null, accountStatus: "ACTIVE" },
  ...{ isPastExpiry: false, known: null, ref: null, held: [], isReversedBefore: false },
  ...{ isBeingReversed: false, limits: {}, used: nothing },
  ...changes,
});

const earlierOf = (changes: Partial<Earlier> = {}): Earlier => ({
  ...{ transactionId: "E", kind: "request", cardId: "C", type: 0, cents: 3_000n },
  ...{ status: "Approved", answeredBy: "affiliate", root: null, isUnderWay: false },
  ...changes,
});

/** The step, or the code where the platform answers itself. */
const told = (decision: Decision): string => ("code" in decision ? decision.code : decision.step);

const ask = (order: Partial<Order>, facts: Partial<Facts> = {}): string =>
  told(decide(orderOf(order), factsOf(facts)));

describe("each type, asked for as each kind", () => {
  const inquiries: readonly TransactionType[] = [6, 30, 91, 92];
  const following: readonly TransactionType[] = [102, 103];
  test.each(transactionTypes)("type %i", (type) => {
    const isInquiry = inquiries.includes(type);
    expect(ask({ type })).toBe(following.includes(type) ? "12" : "ask");
    expect(ask({ type, kind: "advice" })).toBe("ask");
    expect(ask({ type, kind: "inquiry" })).toBe(isInquiry ? "ask" : "12");
    expect(ask({ type, cardScheme: 1 })).toBe(type > 100 ? "12" : "ask");
    expect(ask({ type, cents: null })).toBe(isInquiry ? "ask" : "13");
    expect(ask({ type, cents: 0n, kind: "advice" })).toBe(isInquiry ? "ask" : "13");
    expect(ask({ type, responseCode: "51", cardScheme: 3 })).toBe("05");
    expect(ask({ type, responseCode: "00", kind: "advice" })).toBe("ask");
  });
});

describe("each state of card and account", () => {
  const reasons = [null, ...new Set([...cardReasons.lock, ...cardReasons.block])];
  const codes: Readonly<Record<string, string>> = {
    ...{ Active: "ask", Locked: "62", Blocked: "14", Deleted: "14", Expired: "54" },
  };
  const ofReason: Readonly<Record<string, string>> = { LostCard: "41", StolenCard: "43" };
  test.each(cardStatuses)("a card that is %s", (cardStatus) => {
    for (const cardReason of reasons) {
      const isStopped = cardStatus === "Locked" || cardStatus === "Blocked";
      const code = (isStopped ? ofReason[cardReason ?? ""] : undefined) ?? codes[cardStatus];
      expect([cardReason, ask({}, { cardStatus, cardReason })]).toEqual([cardReason, code]);
      expect(ask({ type: 30, kind: "inquiry" }, { cardStatus, cardReason })).toBe(code);
    }
    expect(ask({ kind: "advice" }, { cardStatus })).toBe("ask");
    const reversed = { ref: earlierOf(), cardStatus };
    expect(ask({ kind: "reversal", refTransactionId: "E" }, reversed)).toBe("ask");
  });
  test.each([
    ...([
      ["ACTIVE", "ask"],
      ["LOCKED", "62"],
      ["BLOCKED", "14"],
      ["DELETED", "14"],
    ] as const),
  ])("an account that is %s", (accountStatus, code) => {
    expect(ask({}, { accountStatus })).toBe(code);
    expect(ask({ kind: "advice" }, { accountStatus })).toBe("ask");
    expect(ask({}, { accountStatus, cardStatus: "Locked", cardReason: "LostCard" })).toBe("41");
  });
  test("its month is over, and the sweep has not come by", () => {
    expect(ask({}, { isPastExpiry: true })).toBe("54");
  });
});

describe("each limit at its bound", () => {
  const counts: Readonly<Record<string, Partial<Order>>> = {
    ...{ dailyAtm: { type: 1 }, monthlyAtm: { type: 17 } },
    ...{ dailyEcommerce: { source: "I" }, monthlyEcommerce: { source: "I" } },
  };
  test.each(cardLimitTypes)("%s", (type) => {
    const limits = { [type]: 10_000n };
    const used = type === "perTransaction" ? nothing : { ...nothing, [type]: 4_000n };
    const room = type === "perTransaction" ? 10_000n : 6_000n;
    const order = counts[type] ?? {};
    expect(ask({ ...order, cents: room }, { limits, used })).toBe("ask");
    expect(ask({ ...order, cents: room + 1n }, { limits, used })).toBe("61");
    expect(ask({ ...order, cents: room + 1n }, { limits: { [type]: null }, used })).toBe("ask");
    expect(ask({ ...order, cents: 1n }, { limits: { [type]: 0n } })).toBe("61");
    // Credits and inquiries do not count, and facts are told whatever the limit.
    expect(ask({ ...order, type: 20, cents: 20_000n }, { limits, used })).toBe("ask");
    expect(ask({ ...order, type: 6, cents: 20_000n }, { limits, used })).toBe("ask");
    expect(ask({ ...order, kind: "advice", cents: 20_000n }, { limits, used })).toBe("ask");
    if (order.type !== undefined || order.source !== undefined)
      expect(ask({ cents: 20_000n }, { limits, used })).toBe("ask");
  });

  test("the default ones are those of the contract", () => {
    const limits = defaultLimits(partnerSettings.parse({}).cards.limits);
    const set = Object.entries(limits).filter(([, cents]) => cents !== null);
    expect(Object.fromEntries(set)).toEqual({
      ...{ perTransaction: 50_000n, dailyOverall: 100_000n },
      ...{ monthlyOverall: 300_000n, dailyAtm: 25_000n },
    });
  });

  test("what is counted belongs to the periods that its day lies in", () => {
    const periods = {
      ...{ today: "2026-03-01", week: "2026-02-23", month: "2026-03-01", year: "2026-01-01" },
    };
    const of = (countedOn: string | null, isAtm = false) =>
      countedIn(periods, { cents: 5n, countedOn, isAtm, isEcommerce: false });
    expect(of("2026-02-28")).toEqual({ ...nothing, weeklyOverall: 5n, yearlyOverall: 5n });
    expect(of("2026-03-01", true)).toEqual({
      ...nothing,
      ...{ dailyOverall: 5n, weeklyOverall: 5n, monthlyOverall: 5n, yearlyOverall: 5n },
      ...{ dailyAtm: 5n, monthlyAtm: 5n },
    });
    expect(of(null)).toEqual(nothing);
  });
});

describe("a preauthorisation, its increments and its completion", () => {
  const ref = earlierOf({ type: 101, root: "E" });
  const refTransactionId = "E";
  const all = { ...nothing, dailyOverall: 3_000n };
  const done = { isUnderWay: false };
  const held = [{ ...done, type: 101, cents: 3_000n, counted: all }] as const;
  const used = { ...nothing, dailyOverall: 5_000n };
  const limits = { perTransaction: 4_000n, dailyOverall: 6_000n };

  test("an increment is held with what is held already", () => {
    const order = { type: 102, refTransactionId } as const;
    expect(ask({ ...order, cents: 1_000n }, { ref, held, used, limits })).toBe("ask");
    expect(ask({ ...order, cents: 1_001n }, { ref, held, limits })).toBe("61");
  });

  test.each([102, 103] as const)("what has no answer yet is waited for by a %i", (type) => {
    const open = [...held, { isUnderWay: true, type: 102, cents: 1n, counted: nothing }] as const;
    for (const kind of ["request", "advice"] as const) {
      const order = { kind, type, refTransactionId: "E" };
      expect(ask(order, { ref, held: open })).toBe("wait");
      expect(ask(order, { ref, held, isBeingReversed: true })).toBe("wait");
    }
  });
  test("a completion takes the place of what is held, in the limits too", () => {
    const order = { type: 103, refTransactionId } as const;
    expect(ask({ ...order, cents: 4_000n }, { ref, held, used, limits })).toBe("ask");
    expect(ask({ ...order, cents: 4_001n }, { ref, held, used, limits })).toBe("61");
    const tight = { ...limits, dailyOverall: 5_999n };
    expect(ask({ ...order, cents: 4_000n }, { ref, held, used, limits: tight })).toBe("61");
  });

  test.each([
    ["nothing", null, held],
    ["what was declined", { ...ref, status: "Declined" }, held],
    ["another card's", { ...ref, cardId: "D" }, held],
    ["a purchase", { ...ref, type: 0, root: null }, held],
    ["what was completed", ref, [...held, { ...done, type: 103, cents: 1n, counted: nothing }]],
  ] as const)("neither follows %s", (_what, other, holds) => {
    for (const type of [102, 103] as const)
      expect(ask({ type, refTransactionId }, { ref: other, held: holds })).toBe("12");
  });

  test("each belongs to the preauthorisation", () => {
    const rootOf = (order: Partial<Order>) =>
      decide(orderOf(order), factsOf({ ref: { ...ref, root: "R" }, held }));
    expect(rootOf({ type: 101 })).toMatchObject({ root: "T", counts: true });
    expect(rootOf({ type: 102, refTransactionId })).toMatchObject({ root: "R" });
    expect(rootOf({ type: 103, refTransactionId })).toMatchObject({ root: "R" });
    expect(rootOf({ type: 0, refTransactionId })).toMatchObject({ root: null });
  });
});

describe("the same identifier again", () => {
  const known = (changes: Partial<Earlier> & { readonly isSame?: boolean }) => ({
    known: { ...earlierOf({ transactionId: "T" }), isSame: true, ...changes },
  });
  test.each([
    ["Approved", false, "repeat"],
    ["Declined", false, "repeat"],
    ["Reversed", false, "repeat"],
    ["Replaced", false, "repeat"],
    ["Abandoned", false, "repeat"],
    ["Pending", true, "wait"],
    ["Pending", false, "ask"],
    ["Unreached", false, "ask"],
  ] as const)("%s, under way: %s", (status, isUnderWay, step) => {
    expect(ask({}, known({ status, isUnderWay }))).toBe(step);
    expect(ask({}, known({ status, isUnderWay, isSame: false }))).toBe("94");
  });
  test("what was not reached is decided anew, what is reserved is not", () => {
    const locked = { cardStatus: "Locked" };
    expect(ask({}, { ...known({ status: "Unreached" }), ...locked })).toBe("62");
    expect(ask({}, { ...known({ status: "Pending" }), ...locked })).toBe("ask");
  });
});

describe("a reversal of what is", () => {
  test.each([
    ["unknown", null, "00"],
    ["another card's", { cardId: "D" }, "12"],
    ["a reversal", { kind: "reversal" }, "12"],
    ["of another amount", { cents: 3_001n }, "13"],
    ["being asked for", { status: "Pending", isUnderWay: true }, "wait"],
    ["not asked for any more", { status: "Pending" }, "ask"],
    ["not reached", { status: "Unreached" }, "ask"],
    ["given up", { status: "Abandoned" }, "ask"],
    ["approved", {}, "ask"],
    ["approved by the stand-in", { answeredBy: "standIn" }, "ask"],
    ["an advice of what was approved before", { answeredBy: "platform" }, "12"],
    ["declined", { status: "Declined" }, "00"],
    ["declined by the stand-in", { status: "Declined", answeredBy: "standIn" }, "ask"],
    ["reversed", { status: "Reversed" }, "00"],
    ["replaced", { status: "Replaced" }, "12"],
  ] as const)("%s", (_what, changes, expected) => {
    const ref = changes === null ? null : earlierOf(changes);
    expect(ask({ kind: "reversal", refTransactionId: "E" }, { ref })).toBe(expected);
  });
  test("nothing named, no amount given, another reversal under way", () => {
    const order = { kind: "reversal", refTransactionId: "E" } as const;
    expect(ask({ kind: "reversal" })).toBe("12");
    expect(ask({ ...order, cents: null }, { ref: earlierOf() })).toBe("ask");
    expect(ask(order, { ref: earlierOf(), isBeingReversed: true })).toBe("wait");
  });
  test("what nobody may answer any more is given up with it", () => {
    for (const status of ["Pending", "Unreached"] as const)
      expect(
        decide(
          orderOf({ kind: "reversal", refTransactionId: "E" }),
          factsOf({ ref: earlierOf({ status }) }),
        ),
      ).toMatchObject({ step: "ask", abandons: "E" });
  });
});

describe("a request that comes after its reversal", () => {
  test.each(["request", "advice", "inquiry"] as const)("as %s", (kind) => {
    expect(ask({ kind }, { isReversedBefore: true })).toBe("05");
  });
});

describe("an advice that names what was approved", () => {
  const ref = earlierOf();
  const order = { kind: "advice", refTransactionId: "E" } as const;
  test("is known already where it is the same, and no decline of it", () => {
    expect(ask(order, { ref })).toBe("00");
    expect(ask({ ...order, responseCode: "00" }, { ref })).toBe("00");
    expect(ask({ ...order, responseCode: "05" }, { ref })).toBe("ask");
  });
  test.each([
    ["another amount", { cents: 2_999n }],
    ["another type", { type: 1 }],
    ["another card", { cardId: "D" }],
    ["a decline", { status: "Declined" }],
    ["what was not reached", { status: "Unreached" }],
  ] as const)("is posted where it was %s", (_what, changes) => {
    expect(ask(order, { ref: { ...ref, ...changes } })).toBe("ask");
  });
});

describe("the amount that is charged", () => {
  const amounts = (changes: Partial<Amounts>): Amounts => ({
    ...{ transactionAmount: null, transactionCurrency: null },
    ...{ billingAmount: null, billingCurrency: null },
    ...changes,
  });
  test.each<[Partial<Amounts>, bigint | null | string]>([
    [{ billingAmount: 30.1, billingCurrency: 978 }, 3_010n],
    [{ billingAmount: 30.1 }, 3_010n],
    [{ transactionAmount: 12 }, 1_200n],
    [{ transactionAmount: 12, transactionCurrency: 978, billingCurrency: 978 }, 1_200n],
    [{ transactionAmount: 12, transactionCurrency: 840, billingCurrency: 978 }, null],
    [
      {
        transactionAmount: 1.234,
        transactionCurrency: 414,
        billingAmount: 3,
        billingCurrency: 978,
      },
      300n,
    ],
    [{}, null],
    [{ billingAmount: 3, billingCurrency: 840 }, "CurrencyNotSupported"],
    [{ billingAmount: 3, transactionCurrency: 840 }, "CurrencyNotSupported"],
    [{ billingAmount: 3.001 }, "AmountScaleInvalid"],
    [{ transactionAmount: 3.001 }, "AmountScaleInvalid"],
  ])("%j", (given, expected) => {
    const billed = billedCents(amounts(given));
    expect(billed.ok ? billed.value : billed.code).toBe(expected);
  });
});
