/** Dates of collections: on bank days, never early, never nearer than what the debtor was promised, without drift. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { addBankDays, bankDayBefore, isBankDay } from "../../../shared/domain/bank/bank-days.js";
import {
  depositDateFor,
  nextDeposit,
  type DepositPlan,
} from "../../../shared/domain/bank/deposit-dates.js";

const dayMs = 86_400_000;
const shifted = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10);

const told = (today: string, preNotificationDays = 5) => ({ today, preNotificationDays });

test.each([
  // The agreed day is kept where a month lacks it, and comes back after that.
  ["2027-01-29", "Monthly", "2027-01-29", "2027-03-01", "2027-02-26"],
  ["2027-01-29", "Monthly", "2027-03-01", "2027-03-30", "2027-03-25"],
  ["2026-12-31", "Monthly", "2026-12-31", "2027-02-01", "2027-01-29"],
  // Christmas, Easter and the first of May move one collection and not the next.
  ["2026-12-18", "Weekly", "2026-12-18", "2026-12-28", "2026-12-24"],
  ["2026-12-18", "Weekly", "2026-12-28", "2027-01-04", "2026-12-31"],
  ["2026-12-18", "Weekly", "2027-01-04", "2027-01-08", "2027-01-07"],
  ["2026-03-30", "Weekly", "2026-03-30", "2026-04-07", "2026-04-02"],
  ["2026-04-01", "Monthly", "2026-04-01", "2026-05-04", "2026-04-30"],
] as const)(
  "agreed on %s, %s: after %s comes %s",
  (anchor, frequency, last, depositDate, requestDate) => {
    const today = bankDayBefore(last);
    expect(nextDeposit({ anchor, frequency }, last, told(today))).toEqual({
      depositDate,
      requestDate,
    });
  },
);

test("a collection that is asked for late settles on the next bank day, and the next one on its own date", () => {
  expect(depositDateFor("2026-11-24", "2026-11-23")).toBe("2026-11-24");
  expect(depositDateFor("2026-11-24", "2026-11-27")).toBe("2026-11-30");
  const weekly = { anchor: "2026-11-24", frequency: "Weekly" } as const;
  expect(nextDeposit(weekly, "2026-11-30", told("2026-11-27"))).toEqual({
    // Four days after it would be Tuesday 1 December: sooner than the debtor may be told.
    ...{ depositDate: "2026-12-08", requestDate: "2026-12-07" },
  });
});

const date = fc
  .date({ min: new Date("2020-01-01"), max: new Date("2060-01-01"), noInvalidDate: true })
  .map((day) => day.toISOString().slice(0, 10));
const bankDay = date.map((day) => addBankDays(day, 1));
const frequency = fc.constantFrom("Weekly" as const, "Monthly" as const);

const lastDayOfMonth = (day: string): number =>
  new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).getUTCDate();

/** Whether a date has the agreed weekday or day of the month. */
const isAgreed = ({ anchor, frequency: often }: DepositPlan, day: string): boolean =>
  often === "Weekly"
    ? new Date(day).getUTCDay() === new Date(anchor).getUTCDay()
    : Number(day.slice(8)) === Math.min(Number(anchor.slice(8)), lastDayOfMonth(day));

/** The agreed date of which this is the bank day; undefined: there is none. */
const agreedFor = (plan: DepositPlan, depositDate: string): string | undefined => {
  for (let day = depositDate; ; day = shifted(day, -1)) {
    if (isAgreed(plan, day)) return day;
    if (isBankDay(shifted(day, -1))) return undefined;
  }
};

const agreedBefore = (plan: DepositPlan, agreed: string): string => {
  const day = shifted(agreed, -1);
  return isAgreed(plan, day) ? day : agreedBefore(plan, day);
};

const bankDayFrom = (day: string): string => (isBankDay(day) ? day : addBankDays(day, 1));

test("whatever was asked for when: on a bank day, later, told in time, and on the agreed day's bank day", () => {
  const days = fc.integer({ min: 0, max: 36 });
  const late = fc.integer({ min: 0, max: 900 });
  fc.assert(
    fc.property(bankDay, frequency, late, days, (anchor, often, daysLate, preNotificationDays) => {
      const plan = { anchor, frequency: often };
      const today = shifted(bankDayBefore(anchor), daysLate);
      const last = depositDateFor(anchor, today);
      const next = nextDeposit(plan, last, { today, preNotificationDays });
      expect(isBankDay(next.depositDate)).toBe(true);
      expect(next.requestDate).toBe(bankDayBefore(next.depositDate));
      expect(next.depositDate > last).toBe(true);
      expect(next.depositDate >= shifted(today, preNotificationDays)).toBe(true);
      const agreed = agreedFor(plan, next.depositDate);
      expect(agreed).toBeDefined();
      // Nothing that fits was passed over.
      const before = bankDayFrom(agreedBefore(plan, agreed ?? ""));
      expect(before <= last || before < shifted(today, preNotificationDays)).toBe(true);
    }),
  );
});

test("ten years of collections: one for each week or month, each on its agreed date or the bank day after", () => {
  fc.assert(
    fc.property(bankDay, frequency, (anchor, often) => {
      const plan = { anchor, frequency: often };
      let last = anchor;
      let agreed = anchor;
      for (let period = 1; period <= (often === "Weekly" ? 521 : 120); period += 1) {
        const next = nextDeposit(plan, last, told(bankDayBefore(last)));
        const present = agreedFor(plan, next.depositDate) ?? "none";
        expect(agreedBefore(plan, present)).toBe(agreed);
        agreed = present;
        last = next.depositDate;
      }
    }),
    { numRuns: 10 },
  );
});
