/** Where a wallet's holder lives: countries of ISO 3166, and the postal code of an Italian address. */
import { countrySpecs } from "ibantools";

/** The library's table has every country of ISO 3166, and Kosovo by a code that is in use without being in it. */
const inUseOnly = "XK";

/** The code elements of ISO 3166-1 alpha-2, in upper case. */
export const countries: ReadonlySet<string> = new Set(
  Object.keys(countrySpecs).filter((code) => code !== inUseOnly),
);

const italianZipCode = /^[0-9]{5}$/;

export interface PostalPlace {
  readonly zipCode: string | null;
  readonly country: string | null;
}

/** Only Italian postal codes have a shape that is looked at; without a country none is. */
export const isZipCodeSound = ({ zipCode, country }: PostalPlace): boolean =>
  zipCode === null || country !== "IT" || italianZipCode.test(zipCode);
