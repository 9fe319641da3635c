/** The roles that a token may carry (contract.md section 3, "Roles in the token"). */

export const roles = [
  "Wallet.Read",
  "Wallet.Write",
  "Operation.Read",
  "Operation.Write",
  "Store.Write",
  "Mandate.Write",
  "Accounting.Write",
  "Flow.Trigger",
  "Card.Read",
  "Card.Write",
  "Clearing.Write",
  "O2I.Write",
  "Ticket.Read",
  "Ticket.Write",
  "Ticket.Operate",
  "Sandbox.Use",
] as const;

export type Role = (typeof roles)[number];

/** Of the platform's own operators: a partner's token does not make use of it. */
export const operatorRoles: readonly Role[] = ["Ticket.Operate"];
