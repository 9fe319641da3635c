/** Countries as cards name them: by three letters. */
import { alpha3ToNumeric } from "i18n-iso-countries/index.js";

const threeLetters = /^[A-Z]{3}$/;
/** In use, without being in the standard. */
const inUseOnly = "XKX";

/** A code element of ISO 3166-1 alpha-3, in upper case. */
export const isCountryCode = (code: string): boolean =>
  threeLetters.test(code) && code !== inUseOnly && alpha3ToNumeric(code) !== undefined;
