/** Encrypts PINs as a card holder's app does, with the key as it is published. */
import { constants, createPublicKey, publicEncrypt } from "node:crypto";
import type { PinKey } from "../../../shared/contracts/card/pins.js";

export const cypherOf = (
  pin: string,
  { kty, n, e }: PinKey,
  oaepHash: "sha256" | "sha1" = "sha256",
): string =>
  publicEncrypt(
    {
      key: createPublicKey({ key: { kty, n, e }, format: "jwk" }),
      padding: constants.RSA_PKCS1_OAEP_PADDING,
      oaepHash,
    },
    Buffer.from(pin),
  ).toString("base64");
