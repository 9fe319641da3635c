/** What a record does to its card: amounts and counts of clearings are kept by it (card seed, 2.6). */

export const recordKinds = ["Debit", "DebitReversal", "Credit", "CreditReversal"] as const;
export type RecordKind = (typeof recordKinds)[number];

/** As the processor codes transactions (card seed, 2.7). */
export const creditType = 20;

export const kindOf = (record: {
  readonly type: number;
  readonly isReversal: boolean;
}): RecordKind => {
  if (record.type === creditType) return record.isReversal ? "CreditReversal" : "Credit";
  return record.isReversal ? "DebitReversal" : "Debit";
};
