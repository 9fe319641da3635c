/** Phone numbers in any usual spelling, kept in E.164; without a country prefix they are Italian. */
import { parsePhoneNumberFromString } from "libphonenumber-js/min";

/** The E.164 form, or undefined when the text is no valid phone number. */
export const e164 = (phoneNumber: string): string | undefined => {
  const parsed = parsePhoneNumberFromString(phoneNumber, { defaultCountry: "IT", extract: false });
  return parsed?.isValid() === true ? parsed.number : undefined;
};
