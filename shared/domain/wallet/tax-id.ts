/** The Italian tax id (codice fiscale): shape, omocodia letters, date of birth and check letter. */
import { checkLetter } from "./check-letter.js";

/** What is wrong with a tax id, in the words of `errorProperties`. */
export type TaxIdFault = "shape" | "birthDate" | "checkLetter";

/** Two persons with the same code: digits are replaced, from the right, by these letters (0 = L). */
const omocodiaLetters = "LMNPQRSTUV";
const monthLetters = "ABCDEHLMPRST";
/** February has 29 days here: the code tells the year without its century. */
const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
/** A woman's day of birth is written 40 higher. */
const femaleDayOffset = 40;

const digit = `[0-9${omocodiaLetters}]`;
const shape = new RegExp(
  `^[A-Z]{6}(?<year>${digit}{2})(?<month>[${monthLetters}])(?<day>${digit}{2})[A-Z]${digit}{3}[A-Z]$`,
);

export const normaliseTaxId = (taxId: string): string => taxId.trim().toUpperCase();

const plainNumber = (text: string): number =>
  Number(text.replace(/[A-Z]/g, (letter) => String(omocodiaLetters.indexOf(letter))));

const isPlausibleBirthDate = (year: string, month: string, day: string): boolean => {
  const dayNumber = plainNumber(day);
  const dayOfMonth = dayNumber > femaleDayOffset ? dayNumber - femaleDayOffset : dayNumber;
  const monthIndex = monthLetters.indexOf(month);
  const isLeapDay = monthIndex === 1 && dayOfMonth === 29;
  if (isLeapDay && plainNumber(year) % 4 !== 0) return false;
  return dayOfMonth >= 1 && dayOfMonth <= (longestMonths[monthIndex] ?? 0);
};

/** The first fault of an upper-case tax id, or undefined for a sound one. */
export const taxIdFault = (taxId: string): TaxIdFault | undefined => {
  const parts = shape.exec(taxId)?.groups;
  if (parts === undefined) return "shape";
  const { year = "", month = "", day = "" } = parts;
  if (!isPlausibleBirthDate(year, month, day)) return "birthDate";
  return checkLetter(taxId.slice(0, 15)) === taxId.slice(15) ? undefined : "checkLetter";
};
