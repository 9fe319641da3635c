/** What every command on operations takes from its caller: who asks, and the partner's settings. */
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
