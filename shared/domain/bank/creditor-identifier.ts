/** The SEPA creditor identifier: country, two check digits, three free characters, the creditor's national number. */

const shape = /^[A-Z]{2}\d{2}[A-Z0-9]{3}[A-Z0-9]{1,28}$/;
const nationalPlace = 7;

/** Letters count from A = 10 on. */
const digitsOf = (text: string): string =>
  Array.from(text, (character) => Number.parseInt(character, 36).toString()).join("");

/** Without spaces, in upper case; the three free characters, the creditor's business code, are not checked. */
export const isCreditorIdentifier = (identifier: string): boolean => {
  if (!shape.test(identifier)) return false;
  const checked = identifier.slice(nationalPlace) + identifier.slice(0, 4);
  return BigInt(digitsOf(checked)) % 97n === 1n;
};
