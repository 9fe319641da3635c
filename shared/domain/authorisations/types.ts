/** The transaction types of the O2I contract (card seed, 2.7), and what each does to the account. */

/** What a transaction does; the last three go together: a completion takes the place of what was held before. */
export type Effect =
  "debit" | "credit" | "inquiry" | "preauthorisation" | "increment" | "completion";

const effects = {
  /** Purchase. */
  0: "debit",
  /** Withdrawal at a cash machine. */
  1: "debit",
  /** Card verification. */
  6: "inquiry",
  /** Cash advance. */
  17: "debit",
  /** Refund, credit, payment. */
  20: "credit",
  /** Balance at a cash machine. */
  30: "inquiry",
  /** PIN unblocked. */
  91: "inquiry",
  /** PIN changed. */
  92: "inquiry",
  101: "preauthorisation",
  102: "increment",
  103: "completion",
  /** Transfer to the account. */
  107: "credit",
  /** Transfer from the account. */
  108: "debit",
} as const satisfies Readonly<Record<number, Effect>>;

export type TransactionType = keyof typeof effects;

export const transactionTypes = [0, 1, 6, 17, 20, 30, 91, 92, 101, 102, 103, 107, 108] as const;

export const effectOf = (type: TransactionType): Effect => effects[type];

/** What takes money out of the account, now or later, and so counts towards the card's limits. */
export const takesMoney = (effect: Effect): boolean => effect !== "credit" && effect !== "inquiry";

/** The types that belong to one card network (card seed, 2.7). */
const networkTypesFrom = 101;
const network = 3;

export const fitsScheme = (type: TransactionType, cardScheme: number): boolean =>
  type < networkTypesFrom || cardScheme === network;

/** Cash: from a machine, or over the counter. */
const cashTypes: readonly TransactionType[] = [1, 17];

export interface Usage {
  readonly isAtm: boolean;
  readonly isEcommerce: boolean;
}

/** Which limits besides the overall ones a transaction counts towards. */
export const usageOf = (request: {
  readonly type: TransactionType;
  readonly source: string | null;
}): Usage => ({
  isAtm: cashTypes.includes(request.type) || request.source === "A",
  isEcommerce: request.source === "I",
});
