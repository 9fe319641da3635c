/** When a mandate's collections are asked for and settle: on bank days, counted from one agreed date, so that they never drift. */
import { addBankDays, bankDayAfter, bankDayBefore } from "./bank-days.js";

/** How often a mandate is collected. */
export type DepositFrequency = "Weekly" | "Monthly";

export interface DepositPlan {
  /** The agreed date (`2026-11-30`): its weekday or its day of the month is kept. */
  readonly anchor: string;
  readonly frequency: DepositFrequency;
}

export interface DepositDates {
  /** When the debtor is debited. */
  readonly depositDate: string;
  /** When the bank is asked: on the bank day before. */
  readonly requestDate: string;
}

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

const calendarDate = (ms: number): string =>
  new Date(ms).toISOString().slice(0, "YYYY-MM-DD".length);

const daysAfter = (date: string, days: number): string =>
  calendarDate(Date.parse(date) + days * dayMs);

/** A month that lacks the agreed day has its last one instead. */
const monthsAfter = (date: string, months: number): string => {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  const lastDay = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return calendarDate(Date.UTC(year, month - 1 + months, Math.min(day, lastDay)));
};

/** The agreed date so many periods after the first. */
const agreedDate = ({ anchor, frequency }: DepositPlan, periods: number): string =>
  frequency === "Weekly" ? daysAfter(anchor, 7 * periods) : monthsAfter(anchor, periods);

/** So many whole periods lie between the agreed date and a later one, or one fewer. */
const periodsUntil = ({ anchor, frequency }: DepositPlan, date: string): number => {
  if (frequency === "Weekly") return Math.floor((Date.parse(date) - Date.parse(anchor)) / weekMs);
  const months = (of: string): number => Number(of.slice(0, 4)) * 12 + Number(of.slice(5, 7));
  return months(date) - months(anchor) - 1;
};

/** A collection that is asked for today or later settles on its date, or on the first that is left. */
export const depositDateFor = (plannedDate: string, today: string): string =>
  plannedDate > today ? plannedDate : addBankDays(today, 1);

/**
 * The first agreed date after the last one's deposit that leaves the debtor the agreed days from today; where
 * banks are closed on it, the next bank day.
 */
export const nextDeposit = (
  plan: DepositPlan,
  lastDepositDate: string,
  { today, preNotificationDays }: { readonly today: string; readonly preNotificationDays: number },
): DepositDates => {
  const earliest = daysAfter(today, preNotificationDays);
  for (let periods = Math.max(0, periodsUntil(plan, lastDepositDate)); ; periods += 1) {
    const depositDate = bankDayAfter(agreedDate(plan, periods), 0);
    if (depositDate > lastDepositDate && depositDate >= earliest)
      return { depositDate, requestDate: bankDayBefore(depositDate) };
  }
};
