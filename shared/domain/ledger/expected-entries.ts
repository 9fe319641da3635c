/** What an operation in a state must have moved (contract 4.6), and what is wrong where it has not. */

export const accountKinds = [
  "Bucket",
  "Fees",
  "Store",
  "Dealer",
  "Cards",
  "Bank",
  "Suspense",
  "Transit",
] as const;
type AccountKind = (typeof accountKinds)[number];

/** Sums of an operation's entries; what lies on another bucket or store than its own is foreign. */
export type Moved = Readonly<Partial<Record<AccountKind | "Foreign", bigint>>>;

export interface MovedOperation {
  readonly type: string;
  readonly status: string;
  readonly income: boolean;
  readonly amountCents: bigint;
  readonly finalAmountCents: bigint;
  readonly netAmountCents: bigint;
  readonly feesAmountCents: bigint;
  /** The sum of its fee objects. */
  readonly listedFeesCents: bigint;
  /** Whether something of it was mirrored. */
  readonly isReversed: boolean;
  readonly moved: Moved;
}

/** From which accounts the money of a type comes, or to which it goes. */
const counterparties: Readonly<Record<string, readonly AccountKind[]>> = {
  CashDeposit: ["Store"],
  CashWithdrawal: ["Store"],
  LoyaltyDeposit: ["Store", "Dealer", "Bank"],
  WelfareDeposit: ["Dealer", "Store"],
  Payment: ["Store", "Cards"],
  SctWithdrawal: ["Transit", "Bank"],
  SctStandardDeposit: ["Suspense", "Bank"],
  SctInstantDeposit: ["Suspense", "Bank"],
  SddDeposit: ["Bank", "Suspense"],
};

const untouched = ["Initialized", "Cancelled", "Expired"];
const undone = ["Terminated", "OutgoingPaymentRejected"];
const settled = ["Completing", "Completed"];
/** An outgoing payment that the bank has booked is in transit no more. */
const booked = ["OutgoingPaymentConfirmed", "OutgoingPaymentCompleted", ...settled];

const euros = (cents: bigint): string => {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

const amountsFault = (o: MovedOperation): string | undefined => {
  const [final, net] = o.income
    ? [o.amountCents, o.amountCents - o.feesAmountCents]
    : [o.amountCents + o.feesAmountCents, o.amountCents];
  if (o.finalAmountCents !== final)
    return `its final amount is ${euros(o.finalAmountCents)}, not ${euros(final)}`;
  if (o.netAmountCents !== net)
    return `its net amount is ${euros(o.netAmountCents)}, not ${euros(net)}`;
  if (o.listedFeesCents !== o.feesAmountCents)
    return `its fees add up to ${euros(o.listedFeesCents)}, not ${euros(o.feesAmountCents)}`;
  return undefined;
};

/** What must lie on each account; the counterparties share one figure. */
interface Expected {
  readonly bucket: bigint;
  readonly fees: bigint;
  readonly counterparty: bigint;
}

const expectedOf = (o: MovedOperation): Expected => {
  if (o.income)
    return { bucket: o.netAmountCents, fees: o.feesAmountCents, counterparty: -o.amountCents };
  const isFeePosted = o.type !== "Payment" || settled.includes(o.status);
  const fees = isFeePosted ? o.feesAmountCents : 0n;
  return { bucket: -o.amountCents - fees, fees, counterparty: o.amountCents };
};

const sumOf = (moved: Moved, kinds: readonly (AccountKind | "Foreign")[]): bigint =>
  kinds.reduce((sum, kind) => sum + (moved[kind] ?? 0n), 0n);

/** The first of the names whose sum is not as it must be. */
const differenceOf = (
  sums: readonly (readonly [name: string, found: bigint, expected: bigint])[],
): string | undefined => {
  const wrong = sums.find(([, found, expected]) => found !== expected);
  if (wrong === undefined) return undefined;
  const [name, found, expected] = wrong;
  return `its entries on ${name} sum to ${euros(found)}, not ${euros(expected)}`;
};

/**
 * Nothing is left; what a closed wallet could not take back lies in suspense, and a payment that the
 * bank refused and booked all the same lies between transit and bank.
 */
const undonePairs = [
  ["Bucket", "Suspense"],
  ["Transit", "Bank"],
] as const satisfies readonly (readonly AccountKind[])[];

const paired: readonly AccountKind[] = undonePairs.flat();

const undoneFault = ({ moved }: MovedOperation): string | undefined =>
  differenceOf([
    ...undonePairs.map((pair) => [pair.join(" and "), sumOf(moved, pair), 0n] as const),
    ...accountKinds
      .filter((kind) => !paired.includes(kind))
      .map((kind) => [kind, moved[kind] ?? 0n, 0n] as const),
    ["accounts of others", moved.Foreign ?? 0n, 0n],
  ]);

/**
 * A collection that the bank took back: the money went to the bank, also where it was drawn from the
 * suspense account, which had it from the bank.
 */
const returnedFault = ({ amountCents, moved }: MovedOperation): string | undefined => {
  const drawn = moved.Suspense ?? 0n;
  return differenceOf([
    ["Bank and Suspense", sumOf(moved, ["Bank", "Suspense"]), 0n],
    ["Suspense", drawn, drawn === 0n ? 0n : -amountCents],
    ...accountKinds
      .filter((kind) => kind !== "Bank" && kind !== "Suspense")
      .map((kind) => [kind, moved[kind] ?? 0n, 0n] as const),
    ["accounts of others", moved.Foreign ?? 0n, 0n],
  ]);
};

/**
 * A payment that the card network reversed after settlement had taken it (contract 4.1, returns): its amount
 * is back in the bucket, or for a closed wallet in suspense, and its fee stays.
 */
const reversedFault = (o: MovedOperation): string | undefined => {
  const { fees } = expectedOf(o);
  const held = o.moved.Suspense ?? 0n;
  return differenceOf([
    ["Bucket and Suspense", sumOf(o.moved, ["Bucket", "Suspense"]), -fees],
    ["Suspense", held, held === 0n ? 0n : o.amountCents],
    ["fees", o.moved.Fees ?? 0n, fees],
    ...accountKinds
      .filter((kind) => !["Bucket", "Suspense", "Fees"].includes(kind))
      .map((kind) => [kind, o.moved[kind] ?? 0n, 0n] as const),
    ["accounts of others", o.moved.Foreign ?? 0n, 0n],
  ]);
};

/** A transfer for a wallet that is closed lies in suspense, where a person decides (contract 4.1). */
const liesInSuspense = ({ type, amountCents, moved }: MovedOperation): boolean =>
  (type === "SctStandardDeposit" || type === "SctInstantDeposit") &&
  moved.Suspense === amountCents &&
  moved.Bank === -amountCents &&
  Object.keys(moved).length === 2;

const postedFault = (o: MovedOperation): string | undefined => {
  if (liesInSuspense(o)) return undefined;
  const partners = counterparties[o.type] ?? [];
  const expected = expectedOf(o);
  const uninvolved = accountKinds.filter(
    (kind) => kind !== "Bucket" && kind !== "Fees" && !partners.includes(kind),
  );
  const transit = booked.includes(o.status) ? 0n : o.amountCents;
  return differenceOf([
    ["its bucket", o.moved.Bucket ?? 0n, expected.bucket],
    ["fees", o.moved.Fees ?? 0n, expected.fees],
    [partners.join(" and "), sumOf(o.moved, partners), expected.counterparty],
    ...uninvolved.map((kind) => [kind, o.moved[kind] ?? 0n, 0n] as const),
    ...(o.type === "SctWithdrawal" ? [["Transit", o.moved.Transit ?? 0n, transit] as const] : []),
    ["accounts of others", o.moved.Foreign ?? 0n, 0n],
  ]);
};

/** What is wrong with an operation of a wallet; undefined where amounts and entries agree. */
export const operationFault = (o: MovedOperation): string | undefined => {
  const fault = amountsFault(o);
  if (fault !== undefined) return fault;
  if (untouched.includes(o.status)) {
    const kinds = Object.keys(o.moved);
    return kinds.length === 0 ? undefined : `it is ${o.status} and has entries`;
  }
  if (undone.includes(o.status)) return undoneFault(o);
  // A collection that was returned keeps its status (contract 4.3).
  if (o.isReversed && o.type === "SddDeposit") return returnedFault(o);
  if (o.isReversed && o.type === "Payment") return reversedFault(o);
  return postedFault(o);
};
