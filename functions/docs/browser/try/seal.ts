/** A text under a public key, as a card holder's app sends a PIN. */

/** Of a JWK for RSA, what it takes. */
export interface PublicKey {
  readonly kty: string;
  readonly n: string;
  readonly e: string;
}

const algorithm = { name: "RSA-OAEP", hash: "SHA-256" } as const;

/** In Base64. */
export const seal = async (text: string, { kty, n, e }: PublicKey): Promise<string> => {
  const key = await crypto.subtle.importKey("jwk", { kty, n, e }, algorithm, false, ["encrypt"]);
  const bytes = await crypto.subtle.encrypt(algorithm, key, new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
};
