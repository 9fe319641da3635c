/** Routes of an account's address (card seed, 2.3, 4.1; contract 3.3). */
import { z } from "zod";
import { isCountryCode } from "../../domain/card/countries.js";
import { route } from "../route.js";
import { Address, addressErrors, addressTypes, idParams } from "./fields.js";

const record = { status: 200, schema: Address } as const;

const ofAddress = { api: "card", params: idParams } as const;

export const getAddressRoute = route({
  ...ofAddress,
  id: "getAddress",
  method: "GET",
  path: "addresses/{id}",
  role: "Card.Read",
  ok: record,
  errors: addressErrors,
  summary: "Get an address",
  result: "The address as it is now.",
});

const first = { abort: true } as const;
const countryForm = "must be a country code of ISO 3166-1 alpha-3, in upper case, such as ITA";

const Line = z
  .string()
  .trim()
  .max(255, first)
  .regex(/^\P{Cc}*$/u, "must not hold control characters")
  .transform((text) => (text === "" ? null : text))
  .nullable();

/** What may be left out, which is the same as null. */
const OptionalLine = Line.default(null);

const Country = z
  .string()
  .max(3, { error: countryForm, abort: true })
  .refine(isCountryCode, countryForm)
  .describe("ISO 3166-1 alpha-3, in upper case.")
  .nullable();

export const AddressBody = z.strictObject({
  type: z.enum(addressTypes),
  countryCode: Country,
  line1: Line,
  line2: OptionalLine,
  line3: OptionalLine,
  city: Line,
  postOffice: OptionalLine,
  zipCode: Line,
  province: OptionalLine,
  externalReference: Line,
});
export type AddressUpdate = z.output<typeof AddressBody>;

export const updateAddressRoute = route({
  ...ofAddress,
  id: "updateAddress",
  method: "PUT",
  path: "addresses/{id}",
  body: AddressBody,
  role: "Card.Write",
  ok: record,
  errors: addressErrors,
  summary: "Update an address",
  result: "The address with what was changed.",
  description:
    "The body takes the place of what was given before. Empty texts are null. The card processor is told.",
});
