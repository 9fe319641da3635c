/** Bank days: weekends, the closing days of every year, and counting them forward. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addBankDays,
  bankDayAfter,
  bankDaysLater,
  isBankDay,
  romeDate,
} from "../../../shared/domain/bank/bank-days.js";

test.each([
  ["2026-11-20", true],
  ["2026-11-21", false],
  ["2026-11-22", false],
  ["2026-01-01", false],
  ["2026-04-03", false],
  ["2026-04-06", false],
  ["2026-05-01", false],
  ["2026-12-25", false],
  ["2025-12-26", false],
  ["2024-03-29", false],
  ["2024-04-01", false],
  ["2038-04-26", false],
  ["2026-06-02", true],
  ["2026-08-14", true],
])("%s: %s", (date, open) => {
  expect(isBankDay(date)).toBe(open);
});

test("Christmas and the weekend after it are stepped over", () => {
  expect(addBankDays("2026-12-24", 1)).toBe("2026-12-28");
  expect(addBankDays("2026-04-02", 1)).toBe("2026-04-07");
  expect(addBankDays("2026-11-20", 10)).toBe("2026-12-04");
});

test.each([
  ["2026-11-20", 0, "2026-11-20"],
  ["2026-11-21", 0, "2026-11-23"],
  ["2026-11-20", 5, "2026-11-25"],
  ["2026-11-16", 5, "2026-11-23"],
  ["2026-12-20", 5, "2026-12-28"],
])("%s and at least %i days later: %s", (date, days, later) => {
  expect(bankDayAfter(date, days)).toBe(later);
});

test("adding bank days lands on a bank day, and in as many steps as were asked for", () => {
  const date = fc
    .date({ min: new Date("2020-01-01"), max: new Date("2060-01-01"), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10));
  fc.assert(
    fc.property(date, fc.integer({ min: 1, max: 30 }), (start, count) => {
      const end = addBankDays(start, count);
      expect(isBankDay(end)).toBe(true);
      expect(addBankDays(addBankDays(start, count - 1), 1)).toBe(end);
    }),
  );
});

test("a day begins at Italy's midnight, in winter and in summer", () => {
  expect(romeDate(new Date("2026-01-14T22:59:59Z"))).toBe("2026-01-14");
  expect(romeDate(new Date("2026-01-14T23:00:00Z"))).toBe("2026-01-15");
  expect(romeDate(new Date("2026-07-14T21:59:59Z"))).toBe("2026-07-14");
  expect(romeDate(new Date("2026-07-14T22:00:00Z"))).toBe("2026-07-15");
});

test("what was asked late on a Friday evening by UTC was asked on Saturday", () => {
  const friday = new Date("2026-01-16T22:30:00.000Z");
  const saturday = new Date("2026-01-16T23:30:00.000Z");
  expect(bankDaysLater(friday, 1)).toEqual(new Date("2026-01-19T22:30:00.000Z"));
  expect(bankDaysLater(saturday, 1)).toEqual(new Date("2026-01-18T23:30:00.000Z"));
});

test("any moment moves on by whole bank days of Italy's calendar, whatever the clocks do", () => {
  const moment = fc.date({
    min: new Date("2020-01-01"),
    max: new Date("2060-01-01"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(moment, fc.integer({ min: 1, max: 30 }), (at, count) => {
      const later = bankDaysLater(at, count);
      expect(romeDate(later)).toBe(addBankDays(romeDate(at), count));
    }),
  );
});
