/** Why a statement about an account, an address or a card touched nothing. */
import { refusal, type Refusal } from "../../domain/outcome.js";

/**
 * Nothing of them is ever removed, but they come to be: what somebody may see a moment after a statement that
 * did not find it was not there yet, and so `unknown`.
 */
export const refusedFor = async <Code extends string>(
  why: Promise<Refusal<Code> | undefined>,
  unknown: NoInfer<Code>,
): Promise<Refusal<Code>> => (await why) ?? refusal(unknown);
