/** New PINs: the key that they are encrypted with, and the change itself (card seed, 2.2; contract 0.3, 3.3). */
import { z } from "zod";
import { route } from "../route.js";
import { Card } from "./fields.js";

export const PinKey = z
  .object({
    kty: z.literal("RSA"),
    n: z.string().describe("The modulus, of at least 2,048 bit."),
    e: z.string(),
    kid: z.string(),
    use: z.literal("enc"),
    alg: z.literal("RSA-OAEP-256"),
  })
  .meta({ id: "PinKey" });
export type PinKey = z.infer<typeof PinKey>;

export const getPinKeyRoute = route({
  id: "getPinKey",
  api: "card",
  method: "GET",
  path: "cards/pin/key",
  role: "Card.Read",
  ok: { status: 200, schema: PinKey },
  errors: [],
  summary: "Get the key that a new PIN is encrypted with",
  result: "The public key, as a JWK.",
  description:
    "The card processor's public key as a JWK (RFC 7517), for RSA-OAEP with SHA-256. The platform cannot " +
    "open what is encrypted with it.",
});

const charactersMax = 2_048;

export const PinChange = z.strictObject({
  cypher: z
    .string()
    .min(1)
    .max(charactersMax)
    .describe("The PIN, 4 to 12 digits, encrypted with the key, in Base64."),
  token: z.string().min(1).max(255).describe("Names the card; counts once."),
});
export type PinChange = z.infer<typeof PinChange>;

export const changePinRoute = route({
  id: "changePin",
  api: "card",
  method: "PUT",
  path: "cards/pin",
  body: PinChange,
  role: "Card.Write",
  ok: { status: 200, schema: Card },
  errors: ["PinTokenInvalid", "PinCypherInvalid", "CardStatusInvalid"],
  summary: "Change a card's PIN",
  result: "The card with its new PIN.",
  description:
    "The cypher is looked at for its form and passed on to the card processor. The card is Active or Locked. A " +
    "refused change uses no token up.",
});
