/** The families of operations that partners ask for, and in what they differ (wallet seed, 2.2, 4.2; contract 4.6). */

export const fundsTypes = ["Standard", "Welfare", "Loyalty"] as const;
export type FundsType = (typeof fundsTypes)[number];

/** The whole enumeration of `type`: six that are asked for, three that are born with a credit (contract 3.1). */
export const operationTypes = [
  "CashDeposit",
  "CashWithdrawal",
  "LoyaltyDeposit",
  "WelfareDeposit",
  "Payment",
  "SctWithdrawal",
  "SctStandardDeposit",
  "SctInstantDeposit",
  "SddDeposit",
] as const;
export type OperationType = (typeof operationTypes)[number];

export type FamilyType = Exclude<
  OperationType,
  "SctStandardDeposit" | "SctInstantDeposit" | "SddDeposit"
>;

interface Family {
  /** Below `wallets/{walletId}/`. */
  readonly slug: string;
  /** Which funds it moves; null: those that the caller names. */
  readonly fundsType: FundsType | null;
  /** What the documentation calls one of them. */
  readonly noun: string;
}

export const families = {
  CashDeposit: { slug: "cash/deposits", fundsType: "Standard", noun: "cash deposit" },
  CashWithdrawal: { slug: "cash/withdrawals", fundsType: "Standard", noun: "cash withdrawal" },
  LoyaltyDeposit: { slug: "loyalty/deposits", fundsType: "Loyalty", noun: "loyalty deposit" },
  WelfareDeposit: { slug: "welfare/deposits", fundsType: "Welfare", noun: "welfare deposit" },
  Payment: { slug: "payments", fundsType: null, noun: "payment" },
  SctWithdrawal: { slug: "sct/withdrawals", fundsType: "Standard", noun: "SCT withdrawal" },
} as const satisfies Record<FamilyType, Family>;

/** The 23 states (wallet seed, 3.2; transitions: contract 4.1). */
export const operationStatuses = [
  "Initialized",
  "Confirmed",
  "Completing",
  "Completed",
  "Cancelled",
  "Expired",
  "Terminated",
  "TransferInitializeRequested",
  "TransferInitialized",
  "TransferInitializeUnaccomplished",
  "TransferConfirmRequested",
  "TransferConfirmed",
  "TransferConfirmUnaccomplished",
  "TransferCompleted",
  "TransferFailed",
  "OutgoingPaymentInitializeRequested",
  "OutgoingPaymentInitialized",
  "OutgoingPaymentInitializeUnaccomplished",
  "OutgoingPaymentConfirmRequested",
  "OutgoingPaymentConfirmed",
  "OutgoingPaymentConfirmUnaccomplished",
  "OutgoingPaymentCompleted",
  "OutgoingPaymentRejected",
] as const;
export type OperationStatus = (typeof operationStatuses)[number];

/** States of what was never confirmed, and of what was taken back afterwards. */
const unpaidStatuses: readonly OperationStatus[] = [
  "Initialized",
  "Cancelled",
  "Expired",
  "Terminated",
  "OutgoingPaymentRejected",
];
/** States of what was confirmed and still holds. */
export const confirmedStatuses: readonly OperationStatus[] = operationStatuses.filter(
  (status) => !unpaidStatuses.includes(status),
);
