/** Phone numbers in any usual spelling, kept in E.164; without a country prefix they are Italian. */
import { parsePhoneNumberFromString } from "libphonenumber-js/min";

/** The E.164 form, or undefined when the text is no valid phone number. */
export const e164 = (phoneNumber: string): string | undefined => {
  const parsed = parsePhoneNumberFromString(phoneNumber, { defaultCountry: "IT", extract: false });
  return parsed?.isValid() === true ? parsed.number : undefined;
};

/** Between the digits of a number people write nearly anything; a slash is usual in Germany. */
const separators = /[\s().\/·‐–-]+/gu;
/** Where a whole number begins with a zero that is dialled inside its country only. */
const digitsWithTrunkZero = /^0[1-9][0-9]{7,}$/;

/**
 * What a part of a phone number can be in E.164, in any usual spelling: its digits alone, with `00` for
 * the plus sign, with the zero of its country in brackets or, if it is a whole number, before it.
 */
export const phoneSpellings = (part: string): readonly string[] => {
  const withoutZero = part.replace(/\(0\)/gu, "");
  const plain = [part, withoutZero].map((text) => text.replace(separators, ""));
  const spellings = plain.flatMap((text) => [
    text,
    ...(text.startsWith("00") ? [`+${text.slice(2)}`] : []),
    ...(digitsWithTrunkZero.test(text) ? [text.slice(1)] : []),
  ]);
  const found = new Set(spellings.filter((text) => text !== ""));
  return found.size === 0 ? [part] : [...found];
};
