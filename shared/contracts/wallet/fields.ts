/** Fields that the wallet API's bodies share: texts, dates, identifiers. */
import { z } from "zod";
import { emailPattern } from "../../domain/wallet/email.js";
import { countries } from "../../domain/wallet/residence.js";
import { Identifier } from "../identifier.js";

/** Whatever else is wrong with a text that is too long is not looked for. */
const first = { abort: true } as const;

const countryForm = "must be a country code of ISO 3166-1 alpha-2, in upper case, such as IT";

/** One line of text as people write it, ends trimmed; control characters have no place in it. */
export const Text = z
  .string()
  .trim()
  .min(1)
  .max(255, first)
  .regex(/^\P{Cc}*$/u, "must not hold control characters");

/**
 * A person's name: letters of any script with their marks, and what stands between the parts of names.
 * It is compared with a tax id and with the names that banks write, which know nothing else either.
 */
export const PersonName = z
  .string()
  .trim()
  .min(1)
  .max(255, first)
  .regex(
    /^['’ʼ.·‐ -]*\p{L}[\p{L}\p{M}'’ʼ.·‐ -]*$/u,
    "must be letters (of any script, with accents), and besides only apostrophes, hyphens, dots and spaces",
  )
  .describe("Letters of any script; between them apostrophes, hyphens, dots and spaces.");

/** Short texts of which the shape is checked later, with an error code of its own. */
export const Code = z
  .string()
  .min(1)
  .max(64, first)
  .regex(/^\P{Cc}*$/u, "must not hold control characters");

export const Country = z
  .string()
  .max(2, { error: countryForm, abort: true })
  .refine((code) => countries.has(code), countryForm)
  .describe("ISO 3166-1 alpha-2, in upper case.");

export const Email = z
  .string()
  .max(254, first)
  .regex(emailPattern, "must be an e-mail address")
  .meta({ format: "email" });

export const DateTime = z.iso.datetime();
export const NullableDateTime = DateTime.nullable();
export const NullableDate = z.iso.date().nullable();
export const Metadata = z.record(z.string(), z.unknown());

const metadataBytesMax = 16 * 1024;

/** As callers send it (contract 0.6); what they read was bounded when it came. */
export const GivenMetadata = Metadata.refine(
  (metadata) => Buffer.byteLength(JSON.stringify(metadata)) <= metadataBytesMax,
  `must have at most ${metadataBytesMax} bytes as JSON`,
).describe(`At most ${metadataBytesMax} bytes as JSON in UTF-8, without white space.`);

export const walletParams = { walletId: Identifier } as const;
