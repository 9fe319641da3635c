/** Which references of mandates SEPA messages carry (EPC implementation guidelines, AT-01). */

const charactersMax = 35;

/** The Latin set of the scheme; identifiers neither begin nor end with a slash, nor hold two in a row. */
const latin = /^(?!\/)(?!.*\/\/)[A-Za-z0-9/?:().,'+ -]+(?<!\/)$/;

export const isBankReference = (reference: string): boolean =>
  reference.length <= charactersMax && latin.test(reference);
