/** How the sandbox bank answers: decided by a script, or by the request's kind and cents (contract 0.3). */
import { centsOf } from "../money.js";

/** `silent`: no answer. `returned`: booked first, then sent back. */
export const bankDecisions = ["accepted", "refused", "silent", "returned"] as const;
export type BankDecision = (typeof bankDecisions)[number];
export type ScriptedOutcome = "accepted" | "booked" | "refused" | "returned";

const refusedCents = 99n;
const silentCents = 98n;

/** Where no script says otherwise. Internal transfers always succeed: their sums are nobody's choice. */
export const decisionByCents = (request: {
  readonly kind: string;
  readonly amount?: number | undefined;
}): BankDecision => {
  if (request.kind === "transfer") return "accepted";
  const cents = (centsOf(request.amount ?? 0) ?? 0n) % 100n;
  if (cents === refusedCents) return "refused";
  return cents === silentCents ? "silent" : "accepted";
};

/** In the order in which they are sent; none: the bank stays silent. */
export const outcomesOf = (kind: string, decision: BankDecision): readonly ScriptedOutcome[] => {
  if (decision === "refused") return ["refused"];
  if (decision === "silent") return [];
  if (kind.startsWith("mandate")) return ["accepted"];
  return decision === "returned" ? ["accepted", "booked", "returned"] : ["accepted", "booked"];
};
