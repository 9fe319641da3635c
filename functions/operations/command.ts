/** What every command on operations takes from its caller: who asks, and the partner's settings. */
import { createHash } from "node:crypto";
import { limitBounds, type LimitBounds } from "../../shared/database/ledger/limit-bounds.js";
import type { OperationCommand } from "../../shared/database/operations/commands.js";
import type { Caller } from "../kit/authorize.js";

export const commandOf = (
  kind: OperationCommand["kind"],
  { partnerKey, clientId, isOperator, settings }: Caller,
): Pick<OperationCommand, "kind" | "partner_key" | "actor" | "is_operator"> & {
  readonly limits: LimitBounds;
} => ({
  kind,
  partner_key: partnerKey,
  actor: clientId,
  is_operator: isOperator,
  limits: limitBounds(settings),
});

/** Objects by the order of their names, so that the order in which a caller wrote them says nothing. */
const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/** Tells the same request from another one under the same key. */
export const requestHash = (asked: unknown): string =>
  createHash("sha256").update(JSON.stringify(asked, inOrder)).digest("hex");
