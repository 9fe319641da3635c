/** Messages by which the platform drives its own flows: on `platform-events` only, never to a partner. */
import { z } from "zod";

const walletAttempt = z.object({
  walletId: z.uuid(),
  partnerKey: z.string(),
  /** Which IBAN or which signature of this wallet: 1, 2, 3 … */
  attempt: z.int().positive(),
});
const walletMandate = z.object({
  walletId: z.uuid(),
  partnerKey: z.string(),
  mandateId: z.uuid(),
});
/** Null: the mandate is a store's. */
const anyMandate = walletMandate.extend({ walletId: z.uuid().nullable() });

const challenge = z.object({ threeDsId: z.uuid(), partnerKey: z.string() });

/** Subject of the message to the schema of its body; the outbox row is written with the change it reports. */
export const flowMessages = {
  /** An IBAN was set: its validation starts. */
  IbanSet: walletAttempt,
  /** The IBAN of this attempt was replaced or removed: its validation ends. */
  IbanChanged: walletAttempt,
  /** Thirty days passed without a valid SCT; the IBAN was cleared. */
  IbanValidationExpired: walletAttempt,
  ContractSignRequested: walletAttempt,
  ContractDeclined: walletAttempt,
  MandateInitialised: walletMandate,
  MandateSigned: walletMandate,
  /** The bank was asked for the first time to activate a store's mandate. */
  StoreMandateAsked: anyMandate,
  /** The bank is to revoke a reference of this mandate, whatever the mandate's status. */
  MandateDisableRequested: anyMandate,
  /** The mandate is settled: `status` is Active, Rejected, Cancelled, Disabled or Draft (lapsed). */
  MandateSettled: anyMandate.extend({ status: z.string() }),
  /** A bank notification is stored and may belong to this wallet's open IBAN validation. */
  SctReceived: walletAttempt.extend({ bankNotificationId: z.uuid() }),
  /** An operation or a harvesting has come to a place where its flow goes on. */
  SettlementAdvanced: z.object({
    operationId: z.uuid(),
    partnerKey: z.string(),
    flow: z.enum(["harvesting", "accountingOperation", "outgoingPayment"]),
  }),
  /** A direct debit or a payment of a store's reconciliation group was asked for: its flow waits for the bank. */
  StorePaymentAsked: z.object({ reconciliationId: z.uuid(), partnerKey: z.string() }),
  /** The bank was asked to collect by a mandate. */
  CollectionRequested: z.object({ requestId: z.uuid(), partnerKey: z.string() }),
  /** A bank notification is to be tried, or waits for its money to be sent back. */
  NotificationAdvanced: z.object({ bankNotificationId: z.uuid(), partnerKey: z.string() }),
  /** A challenge out of band was raised, or moved to another device. */
  ChallengeRaised: challenge,
  /** A challenge out of band is open no more. */
  ChallengeResolved: challenge,
  /** A day's clearing is to begin, or to wait no longer: `round` counts what it was asked for. */
  ClearingQueued: z.object({ clearingBookmarkId: z.uuid(), round: z.int().positive() }),
  /** A run of a flow was asked for. */
  FlowRunRequested: z.object({ runId: z.uuid(), partnerKey: z.string() }),
  /** An onboarding was ended by another than its flow: by the wallet's closing, or by a change of identity. */
  OnboardingClosed: z.object({ walletId: z.uuid(), partnerKey: z.string() }),
  /** An onboarding that had ended starts again: `attempt` counts its lives. */
  OnboardingRestarted: walletAttempt,
} as const;

export type FlowMessageName = keyof typeof flowMessages;
export type FlowMessage<Name extends FlowMessageName> = z.infer<(typeof flowMessages)[Name]>;
