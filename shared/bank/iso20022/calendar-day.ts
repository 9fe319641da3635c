/** Days of a message, as `2026-11-20`: those that are in the calendar. */
import { BankFileError } from "./bank-file-error.js";

/** The day that a date or moment of the standard begins with. */
export const calendarDay = (text: string, place: string): string => {
  const day = /^(?:19|2\d)\d{2}-\d{2}-\d{2}/.exec(text.trim())?.[0];
  const at = new Date(`${day ?? ""}T00:00:00Z`);
  if (day === undefined || Number.isNaN(at.getTime()) || !at.toISOString().startsWith(day))
    throw new BankFileError(`${place} must be a date.`);
  return day;
};
