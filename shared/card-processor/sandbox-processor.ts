/** The sandbox's card processor: holds a key of its own, opens the PINs, and keeps none of them. */
import { constants, createPrivateKey, generateKeyPair, privateDecrypt } from "node:crypto";
import { promisify } from "node:util";
import { calculateJwkThumbprint } from "jose";
import { z } from "zod";
import { lazy } from "../platform/lazy.js";
import { cypherBytes, type CardProcessor } from "./card-processor.js";

const modulusLength = 2_048;

const PrivateKey = z.object({
  kty: z.literal("RSA"),
  ...{ n: z.string(), e: z.string(), d: z.string(), p: z.string(), q: z.string() },
  ...{ dp: z.string(), dq: z.string(), qi: z.string() },
});
export type PrivateKey = z.infer<typeof PrivateKey>;

/** A new key pair, as it is stored. */
export const makeCardKey = async (): Promise<PrivateKey> => {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength });
  return PrivateKey.parse(privateKey.export({ format: "jwk" }));
};

const pin = /^\d{4,12}$/;

/** `loadKey` gives the stored key; it is asked once. */
export const sandboxProcessor = (loadKey: () => Promise<unknown>): CardProcessor => {
  const keys = lazy(async () => {
    const stored = PrivateKey.parse(await loadKey());
    const { kty, n, e } = stored;
    const kid = await calculateJwkThumbprint({ kty, n, e });
    return {
      opener: createPrivateKey({ key: stored, format: "jwk" }),
      published: { kty, n, e, kid, use: "enc", alg: "RSA-OAEP-256" } as const,
    };
  });
  return {
    pinKey: async () => (await keys()).published,
    acceptsPin: async (cypher) => {
      const { opener: key, published } = await keys();
      const bytes = cypherBytes(cypher, published);
      if (bytes === undefined) return false;
      try {
        const padding = constants.RSA_PKCS1_OAEP_PADDING;
        return pin.test(privateDecrypt({ key, padding, oaepHash: "sha256" }, bytes).toString());
      } catch {
        // Encrypted with another key, or in another way.
        return false;
      }
    },
  };
};
