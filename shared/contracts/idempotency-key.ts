/** The header that makes a creation safe to repeat, where its body has no key. */

export const keyHeader = "Idempotency-Key";
/** `true` on an answer that an earlier call got first. */
export const replayedHeader = "Idempotency-Replayed";

export const keyPattern = "^[\\x20-\\x7e]{16,64}$";
const sound = new RegExp(keyPattern);

export const isIdempotencyKey = (text: string): boolean => sound.test(text);

export const keySentence = "must have 16 to 64 printable ASCII characters.";
