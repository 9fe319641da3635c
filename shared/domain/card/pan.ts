/** What the full number of a card (PAN) looks like: the platform holds none, only tokens and masked numbers. */

/** The check digit of ISO/IEC 7812-1, annex B. */
export const passesLuhn = (digits: string): boolean => {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
};

const digitsMin = 13;
const digitsMax = 19;

/** Digits as many as cards have, alone or in groups as cards show them, whose check digit is right. */
export const isPan = (text: string): boolean => {
  const digits = text.replaceAll(/[ -]/g, "");
  const isLong = digits.length >= digitsMin && digits.length <= digitsMax;
  return isLong && /^\d+$/.test(digits) && passesLuhn(digits);
};

/** Whether a run of digits, however long, could be taken for one that holds a PAN. */
export const couldHoldPan = (digits: string): boolean => {
  for (let start = 0; start + digitsMin <= digits.length; start += 1)
    for (let end = start + digitsMin; end <= Math.min(start + digitsMax, digits.length); end += 1)
      if (passesLuhn(digits.slice(start, end))) return true;
  return false;
};

/** The first six and the last four digits, at most, and nothing but signs that hide the others. */
export const maskedPanPattern = /^\d{6}[*xX]{3,9}\d{4}$/;
