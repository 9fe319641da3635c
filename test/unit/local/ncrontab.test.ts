/** NCRONTAB expressions and intervals: when a timer function runs next. */
import { expect, test } from "vitest";
import { parseSchedule } from "../../../local/host/timers/schedule.js";

const nextOf = (expression: string, after: string, timeZone?: string): string =>
  new Date(parseSchedule(expression, timeZone).next(Date.parse(after))).toISOString();

test.each([
  ["0 */5 * * * *", "2031-03-04T10:02:30Z", "2031-03-04T10:05:00.000Z"],
  ["*/5 * * * *", "2031-03-04T10:05:00Z", "2031-03-04T10:10:00.000Z"],
  ["5/15 * * * * *", "2031-03-04T10:00:00Z", "2031-03-04T10:00:05.000Z"],
  ["5/15 * * * * *", "2031-03-04T10:00:50Z", "2031-03-04T10:01:05.000Z"],
  ["0 30 9 * JAN,JUL MON-FRI", "2031-01-31T10:00:00Z", "2031-07-01T09:30:00.000Z"],
  ["0 0 0 1 1 *", "2031-03-04T10:00:00Z", "2032-01-01T00:00:00.000Z"],
  ["0 0 6 * * 0", "2031-03-04T10:00:00Z", "2031-03-09T06:00:00.000Z"],
  ["00:00:30", "2031-03-04T10:00:00Z", "2031-03-04T10:00:30.000Z"],
  ["1.12:00:00", "2031-03-04T10:00:00Z", "2031-03-05T22:00:00.000Z"],
])("%s after %s is %s", (expression, after, expected) => {
  expect(nextOf(expression, after)).toBe(expected);
});

test("day of month and day of week must both match", () => {
  expect(nextOf("0 0 0 13 * FRI", "2031-01-01T00:00:00Z")).toBe("2031-06-13T00:00:00.000Z");
});

test("a day that never comes is never due", () => {
  expect(parseSchedule("0 0 0 31 2 *").next(Date.parse("2031-01-01T00:00:00Z"))).toBe(Infinity);
});

test("hours are those of the time zone, across the change to summer time", () => {
  const nine = "0 0 9 * * *";
  expect(nextOf(nine, "2031-03-29T09:00:00Z", "Europe/Rome")).toBe("2031-03-30T07:00:00.000Z");
  expect(nextOf(nine, "2031-01-29T09:00:00Z", "Europe/Rome")).toBe("2031-01-30T08:00:00.000Z");
});

test.each(["", "0 0", "0 0 0 0 * *", "60 * * * * *", "0 0 0 L * *", "0 0 0 1W * *", "x * * * * *"])(
  "%j is refused",
  (expression) => {
    expect(() => parseSchedule(expression)).toThrow(/schedule|NCRONTAB/);
  },
);
