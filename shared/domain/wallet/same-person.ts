/** Whether two sets of identity data are one person's: what a contract was signed under, against the wallet's. */

export interface Person {
  readonly taxId: string;
  readonly firstName: string;
  readonly lastName: string;
}

/** The letters alone: who adds an accent, an apostrophe or a space has corrected a spelling. */
const letters = (name: string): string =>
  name.normalize("NFD").replace(/\P{L}/gu, "").toLowerCase();

export const isSamePerson = (one: Person, other: Person): boolean =>
  one.taxId === other.taxId &&
  letters(one.firstName) === letters(other.firstName) &&
  letters(one.lastName) === letters(other.lastName);
