/** The card processor as it is asked at once: its key for PINs, and whether a cypher may be one. */
import type { PinKey } from "../contracts/card/pins.js";
import { DependencyUnavailableError } from "../platform/dependency-unavailable.js";

export interface CardProcessor {
  pinKey(): Promise<PinKey>;
  /** False: this is no PIN of four to twelve digits under that key, as far as can be seen. */
  acceptsPin(cypher: string): Promise<boolean>;
}

/** A cypher's bytes; undefined: it is not Base64, or not exactly as long as the key makes them. */
export const cypherBytes = (cypher: string, { n }: Pick<PinKey, "n">): Buffer | undefined => {
  const bytes = Buffer.from(cypher, "base64");
  const isWhole = bytes.length === Buffer.from(n, "base64url").length;
  return isWhole && bytes.toString("base64") === cypher ? bytes : undefined;
};

/** The genuine processor: it alone can open a cypher, so only its form is judged. */
export const processorWithKey = (key: PinKey): CardProcessor => ({
  pinKey: async () => key,
  acceptsPin: async (cypher) => cypherBytes(cypher, key) !== undefined,
});

/** Nobody has said what the processor's key is. */
export const processorWithoutKey = (): CardProcessor => {
  const refuse = async (): Promise<never> => {
    throw new DependencyUnavailableError("the card processor's key for PINs (CARD_PIN_KEY)");
  };
  return { pinKey: refuse, acceptsPin: refuse };
};
