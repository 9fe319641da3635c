/** Where an affiliate is asked about its cards, by which key, and what holds where it does not answer. */
import { z } from "zod";
import { endpointCharactersMax, isEndpointUrl } from "../../domain/authorisations/endpoint-url.js";

const urlSentence = "must be an https address without credentials (http on this machine alone)";

const Address = z
  .string()
  .max(endpointCharactersMax, { abort: true })
  .refine(isEndpointUrl, urlSentence);

/** `wallet`: the wallet that the card's financial reference names. Null: nobody is asked. */
export const O2iEndpoint = z
  .string()
  .max(endpointCharactersMax, { abort: true })
  .refine((text) => text === "wallet" || isEndpointUrl(text), `${urlSentence}, or wallet`)
  .nullable();

/** As ISO 8583 codes it in field 39. */
export const O2iResponseCode = z
  .string()
  .max(2, { abort: true })
  .regex(/^[0-9A-Z]{2}$/, "must be a response code of two characters");

/** Secrets are never in the database: they are settings of the app, under names that begin so. */
export const secretSettingPrefix = "AFFILIATE_SECRET_";

const SecretSetting = z
  .string()
  .max(80, { abort: true })
  .regex(
    new RegExp(`^${secretSettingPrefix}[A-Z0-9_]+$`),
    `must name a setting of the app that begins with ${secretSettingPrefix}`,
  );

/** What the exchange itself is made of is not the key's place. */
const takenHeader =
  /^(?:host|connection|content-.*|transfer-encoding|accept.*|expect|te|trailer|upgrade|keep-alive|proxy-.*|x-o2i-operation)$/i;

const KeyHeader = z
  .string()
  .max(64, { abort: true })
  .regex(/^[A-Za-z0-9-]+$/, "must be the name of a header")
  .refine((name) => !takenHeader.test(name), "must be a header that is not used already");

const visibleText = z
  .string()
  .min(1)
  .max(255, { abort: true })
  .regex(/^[\x20-\x7e]+$/, "must be plain text");

export const O2iAuth = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("none") }),
  /** A key in a header of its own. */
  z.strictObject({ kind: z.literal("key"), header: KeyHeader, secretSetting: SecretSetting }),
  /** A bearer token by OAuth 2.0 client credentials. */
  z.strictObject({
    kind: z.literal("clientCredentials"),
    tokenUrl: Address,
    clientId: visibleText,
    secretSetting: SecretSetting,
    scope: visibleText.nullable().default(null),
  }),
]);
export type O2iAuth = z.output<typeof O2iAuth>;

export const o2iSettings = z.object({
  endpoint: O2iEndpoint.default("wallet"),
  auth: O2iAuth.default({ kind: "none" }),
  /** The code that is answered in place of an affiliate that is not reached; null: 503. */
  standIn: O2iResponseCode.nullable().default(null),
});
export type O2iTarget = Readonly<z.output<typeof o2iSettings>>;
