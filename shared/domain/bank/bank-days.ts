/** Bank days: all but weekends and the six closing days of the European settlement system (TARGET). */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Easter Sunday as days after 1 March, by the anonymous Gregorian computation. */
const easterDaysAfterMarchFirst = (year: number): number => {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const ofCentury = year % 100;
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30;
  const weekday =
    (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  return epact + weekday - 7 * late + 21;
};

const calendarDate = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);

const closingDays = (year: number): readonly string[] => {
  const easter = 1 + easterDaysAfterMarchFirst(year);
  return [
    calendarDate(year, 1, 1),
    calendarDate(year, 3, easter - 2),
    calendarDate(year, 3, easter + 1),
    calendarDate(year, 5, 1),
    calendarDate(year, 12, 25),
    calendarDate(year, 12, 26),
  ];
};

/** Whether a calendar date is a Saturday or a Sunday. */
export const isWeekend = (date: string): boolean => {
  const weekday = new Date(date).getUTCDay();
  return weekday === 0 || weekday === 6;
};

/** Whether banks settle on this calendar date (`2026-11-20`). */
export const isBankDay = (date: string): boolean =>
  !isWeekend(date) && !closingDays(Number(date.slice(0, 4))).includes(date);

const romeCalendar = new Intl.DateTimeFormat("en-CA", {
  timeZone: "Europe/Rome",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
});

/** The calendar date in Italy at a moment: banks count their days by it. */
export const romeDate = (at: Date): string => {
  const parts = new Map<string, string>(
    romeCalendar.formatToParts(at).map(({ type, value }) => [type, value]),
  );
  return ["year", "month", "day"].map((part) => parts.get(part) ?? "").join("-");
};

/** The bank day that lies `count` bank days after a calendar date. */
export const addBankDays = (date: string, count: number): string => {
  let day = date;
  for (let left = count; left > 0;) {
    day = new Date(new Date(day).getTime() + dayMs).toISOString().slice(0, 10);
    if (isBankDay(day)) left -= 1;
  }
  return day;
};

/** The last bank day before a date. */
export const bankDayBefore = (date: string): string => {
  let day = date;
  do {
    day = new Date(new Date(day).getTime() - dayMs).toISOString().slice(0, 10);
  } while (!isBankDay(day));
  return day;
};

/** The first bank day that lies at least `days` calendar days after a date. */
export const bankDayAfter = (date: string, days: number): string => {
  const earliest = new Date(new Date(date).getTime() + days * dayMs);
  const dayBefore = new Date(earliest.getTime() - dayMs).toISOString().slice(0, 10);
  return addBankDays(dayBefore, 1);
};

/** The same hour of the bank day that lies `count` bank days after a moment, by Italy's calendar. */
export const bankDaysLater = (at: Date, count: number): Date => {
  const date = romeDate(at);
  const due = addBankDays(date, count);
  const later = new Date(at.getTime() + Date.parse(due) - Date.parse(date));
  const found = romeDate(later);
  if (found === due) return later;
  // Near midnight, clocks that were changed in between would move it into the day beside.
  return new Date(later.getTime() + (found < due ? hourMs : -hourMs));
};
