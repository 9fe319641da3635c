/** The ledger's arithmetic: what one movement of money writes. Pure, in cents, always balanced. */
import { strict as assert } from "node:assert";

export const transactionKinds = ["Deposit", "Withdrawal", "Payment", "Fee", "Reversal"] as const;
export type TransactionKind = (typeof transactionKinds)[number];

export interface Entry {
  readonly accountId: bigint;
  /** Positive: the account owes its holder more. */
  readonly amountCents: bigint;
}

export interface Posting {
  readonly operationId: string;
  readonly kind: TransactionKind;
  readonly entries: readonly Entry[];
}

const assertBalanced = (entries: readonly Entry[]): void => {
  const total = entries.reduce((sum, { amountCents }) => sum + amountCents, 0n);
  assert.equal(total, 0n, "the entries of a posting sum to zero");
  assert.ok(
    entries.every(({ amountCents }) => amountCents !== 0n),
    "an entry moves something",
  );
};

/** Money moves from one account to another. */
export const movement = (
  operationId: string,
  kind: TransactionKind,
  { from, to, amountCents }: { from: bigint; to: bigint; amountCents: bigint },
): Posting => {
  assert.ok(amountCents > 0n, "a movement has a positive amount");
  assert.notEqual(from, to, "a movement has two accounts");
  const entries = [
    { accountId: to, amountCents },
    { accountId: from, amountCents: -amountCents },
  ];
  assertBalanced(entries);
  return { operationId, kind, entries };
};
