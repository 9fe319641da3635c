/** Other people's data that fit a test's customer: their names lead to the same letters of a tax id. */
import { checkLetter } from "../../../shared/domain/wallet/check-letter.js";

/** Another name with the same consonants: Bianchi, Biancho. */
export const otherLastName = (lastName: string): string =>
  lastName.slice(0, -1) + (lastName.endsWith("o") ? "i" : "o");

/** The same names, born in another town. */
export const otherTaxId = (taxId: string): string => {
  const body = `${taxId.slice(0, 11)}Z404`;
  return body + checkLetter(body);
};
