/** A wallet's statement: what moved in a period, each with the balance after it. In cents. */

/** One movement of the wallet's funds. */
export interface Movement {
  readonly transactionId: string;
  readonly date: Date;
  /** The ledger's word for it: Deposit, Withdrawal, Payment, Fee, Reversal. */
  readonly kind: string;
  readonly operationId: string | null;
  /** The operation's type. */
  readonly type: string | null;
  readonly description: string | null;
  readonly store: string | null;
  /** What it changed in the wallet, fee included. */
  readonly changeCents: bigint;
  /** What went from the wallet to fees; negative where it was given back. */
  readonly feeCents: bigint;
}

export interface StatementLine extends Movement {
  /** Before its fee. */
  readonly amountCents: bigint;
  readonly balanceCents: bigint;
}

export interface Period {
  readonly fromDate: Date;
  /** Included. */
  readonly toDate: Date;
}

export interface StatementHead extends Period {
  readonly walletId: string;
  readonly holder: string;
  readonly openingCents: bigint;
  readonly closingCents: bigint;
  /** How many movements lie between the two. */
  readonly movements: number;
}

/** The movements with the balance after each, going on from the balance before the first. */
export const withBalances = (
  balanceBefore: bigint,
  movements: readonly Movement[],
): StatementLine[] => {
  let balanceCents = balanceBefore;
  return movements.map((movement) => {
    balanceCents += movement.changeCents;
    return { ...movement, amountCents: movement.changeCents + movement.feeCents, balanceCents };
  });
};
