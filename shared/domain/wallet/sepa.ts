/** Whose accounts the platform can reach: the countries of the SEPA schemes, and which BICs go with their IBANs. */

/**
 * The countries whose IBANs are in the SEPA schemes. Source: European Payments Council, EPC409-09,
 * "List of SEPA Scheme Countries" (2025). Regions without an IBAN of their own use their country's.
 */
const sepaCountries: ReadonlySet<string> = new Set([
  // The European Union.
  ...["AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU"],
  ...["IE", "IT", "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK"],
  // The European Economic Area.
  ...["IS", "LI", "NO"],
  ...["AD", "CH", "GB", "GI", "MC", "SM", "VA"],
  // Joined in 2025.
  ...["AL", "MD", "ME", "MK", "RS"],
]);

/** Banks whose BIC names another country than their IBANs do (contract 0.5). */
const furtherBicCountries: Readonly<Record<string, readonly string[]>> = {
  FR: ["GF", "GP", "MQ", "RE", "YT", "BL", "MF", "PM", "NC", "PF", "WF"],
  GB: ["GG", "JE", "IM"],
  MC: ["FR"],
};

export const isSepaIban = (iban: string): boolean => sepaCountries.has(iban.slice(0, 2));

/** ISO 9362: four characters of the bank, its country, two of its place, three of a branch or none. */
const bicShape = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/i;

export const isBic = (bic: string): boolean => bicShape.test(bic);

/** Both in upper case. */
export const bicFitsIban = (bic: string, iban: string): boolean => {
  const bicCountry = bic.slice(4, 6);
  const ibanCountry = iban.slice(0, 2);
  return (
    bicCountry === ibanCountry || (furtherBicCountries[ibanCountry]?.includes(bicCountry) ?? false)
  );
};
