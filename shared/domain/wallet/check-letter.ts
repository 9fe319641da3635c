/** The check letter that the codice fiscale and the Italian bank account number (CIN) share. */

/** What a character counts in an odd place; index 0 to 25 stands for A to Z, and for 0 to 9 alike. */
const oddPlaceValues = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
] as const;

const letterA = "A".charCodeAt(0);

const ordinal = (character: string): number =>
  character >= "0" && character <= "9" ? Number(character) : character.charCodeAt(0) - letterA;

/** The check letter of a text of upper-case letters and digits; its first place counts as odd. */
export const checkLetter = (text: string): string => {
  const sum = Array.from(text).reduce((total, character, index) => {
    const value = ordinal(character);
    return total + (index % 2 === 0 ? (oddPlaceValues[value] ?? 0) : value);
  }, 0);
  return String.fromCharCode(letterA + (sum % 26));
};
