/** Settings of the card platform: who issues, who plays the card processor, the key that PINs are encrypted with. */
import { z } from "zod";
import { parsedJson } from "../parsed-json.js";
import { settingShapes } from "./setting-shapes.js";

const bytesOf = (number: string): number => Buffer.from(number, "base64url").length;

const Base64Url = z.string().regex(/^[\w-]+$/, "must be Base64url");

/** Strict: whoever sets a private key by mistake is told so. */
const PublicKey = z.strictObject({
  kty: z.literal("RSA"),
  n: Base64Url.refine(
    (n) => bytesOf(n) >= 256 && bytesOf(n) <= 1_024,
    "must have 2,048 to 8,192 bit",
  ),
  e: Base64Url,
  kid: z.string().min(1),
  use: z.literal("enc").default("enc"),
  alg: z.literal("RSA-OAEP-256").default("RSA-OAEP-256"),
});
export type PinKeySetting = z.infer<typeof PublicKey>;

export const cardSettings = {
  CARD_ISSUER: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/)
    .default("borsello")
    .register(settingShapes, {
      shape: "1 to 64 letters, digits and hyphens, since files are named after it",
    }),
  SANDBOX_CARD_PROCESSOR: z
    .enum(["on", "off"])
    .default("on")
    .register(settingShapes, { shape: "on or off" }),
  CARD_PIN_KEY: z
    .string()
    .transform((text, context) => {
      const key = PublicKey.safeParse(parsedJson(text)).data;
      if (key !== undefined) return key;
      context.addIssue("wrong");
      return z.NEVER;
    })
    .optional()
    .register(settingShapes, {
      shape: "a public RSA key of 2,048 to 8,192 bit as a JWK, with kid",
      isSecret: true,
    }),
} as const;
type CardSettings = z.output<z.ZodObject<typeof cardSettings>>;

export interface CardConfig {
  /** Under which name the platform issues cards: its clearings and their files bear it. */
  readonly issuer: string;
  /** Whether the sandbox plays the card processor; otherwise somebody else does. */
  readonly hasSandboxProcessor: boolean;
  /** Null: outside production the sandbox's own; in production PINs cannot be changed. */
  readonly pinKey: PinKeySetting | null;
}

export const cardConfigOf = (
  { CARD_ISSUER: issuer, SANDBOX_CARD_PROCESSOR: processor, CARD_PIN_KEY: pinKey }: CardSettings,
  isProduction: boolean,
): CardConfig => ({
  issuer,
  hasSandboxProcessor: processor === "on" && !isProduction,
  pinKey: pinKey ?? null,
});
