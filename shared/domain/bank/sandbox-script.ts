/** How the sandbox bank answers: decided by the request's kind and the cents of its amount. */
import { centsOf } from "../money.js";

export type ScriptedOutcome = "accepted" | "booked" | "refused";

const refusedCents = 99n;
const unansweredCents = 98n;

/** In the order in which they are sent; none: the bank stays silent. */
export const outcomesOf = (request: {
  readonly kind: string;
  readonly amount?: number | undefined;
}): readonly ScriptedOutcome[] => {
  const cents = (centsOf(request.amount ?? 0) ?? 0n) % 100n;
  if (cents === refusedCents) return ["refused"];
  if (cents === unansweredCents) return [];
  return request.kind.startsWith("mandate") ? ["accepted"] : ["accepted", "booked"];
};
