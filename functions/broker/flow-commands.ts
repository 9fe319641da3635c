/** Which flows a message on `platform-events` starts and wakes: a table, no effects. */
import { z } from "zod";
import {
  flowMessages,
  type FlowMessageName,
} from "../../shared/contracts/platform/flow-messages.js";
import type { FlowStart } from "../../shared/durable/flow-client.js";
import type { FlowEvent } from "../../shared/durable/flow.js";
import {
  notificationAdvanced,
  notificationStart,
} from "../../orchestrations/bank-notification.flow.js";
import { clearingQueued, clearingStart } from "../../orchestrations/clearing.flow.js";
import { contractSigning, contractSigningId } from "../../orchestrations/contract-signing.flow.js";
import {
  ibanChanged,
  ibanValidation,
  ibanValidationId,
  sctReceived,
} from "../../orchestrations/iban-validation.flow.js";
import {
  disableRequested,
  mandateActivation,
  mandateActivationId,
  mandateSigned,
} from "../../orchestrations/mandate-activation.flow.js";
import { mandateDeposit, mandateDepositId } from "../../orchestrations/mandate-deposit.flow.js";
import { flowRun, flowRunId } from "../../orchestrations/flow-run.flow.js";
import { settlementAdvanced, settlementStart } from "../../orchestrations/settlement.flow.js";
import {
  challengeChanged,
  oobChallengeId,
  oobChallengeStart,
} from "../../orchestrations/oob-challenge.flow.js";
import {
  groupEnded,
  operationGroup,
  operationGroupInstance,
} from "../../orchestrations/operation-group.flow.js";
import {
  storePaymentAsked,
  storesCompensationId,
  storesCompensationStart,
} from "../../orchestrations/stores-compensation.flow.js";
import { ticketChanged, ticketSla, ticketSlaId } from "../../orchestrations/ticket-sla.flow.js";
import {
  onboardingEvents,
  walletOnboarding,
  walletOnboardingId,
} from "../../orchestrations/wallet-onboarding.flow.js";

/** What to do about a message, in this order. */
export type FlowCommand =
  | { readonly do: "start"; readonly start: FlowStart }
  | {
      readonly do: "raise";
      readonly instanceId: string;
      readonly event: FlowEvent;
      readonly data: unknown;
    }
  /** Raises to the present attempt at the wallet's onboarding. */
  | { readonly do: "wakeOnboarding"; readonly walletId: string; readonly event: FlowEvent };

interface WalletAttempt {
  readonly walletId: string;
  readonly attempt: number;
}

const raise = (instanceId: string, event: FlowEvent, data: unknown = null): FlowCommand => ({
  do: "raise",
  instanceId,
  event,
  data,
});

const startOnboarding = (walletId: string, attempt: number): FlowCommand => ({
  do: "start",
  start: {
    flow: walletOnboarding,
    instanceId: walletOnboardingId(walletId, attempt),
    input: { walletId, attempt },
  },
});

const startIban = ({ walletId, attempt }: WalletAttempt): FlowCommand => ({
  do: "start",
  start: {
    flow: ibanValidation,
    instanceId: ibanValidationId(walletId, attempt),
    input: { walletId, attempt },
  },
});

/** A mandate that lapsed is signed again: its flow then has another life under the same id. */
const startMandate = (mandateId: string): FlowCommand => ({
  do: "start",
  start: {
    flow: mandateActivation,
    instanceId: mandateActivationId(mandateId),
    input: { mandateId },
    restartAfter: ["completed", "failed", "stopped"],
  },
});

const startTicket = (caseNumber: string): FlowCommand => ({
  do: "start",
  start: { flow: ticketSla, instanceId: ticketSlaId(caseNumber), input: { caseNumber } },
});

const endGroup = (operationGroupId: string): readonly FlowCommand[] => [
  raise(operationGroupInstance(operationGroupId), groupEnded),
];

const wakeOnboarding = (walletId: string, event: FlowEvent): FlowCommand => ({
  do: "wakeOnboarding",
  walletId,
  event,
});

type Reaction = (body: unknown) => readonly FlowCommand[];

/** Throws where the body does not fit: after its deliveries the message ends in the dead letters. */
const upon =
  <Schema extends z.ZodType>(
    schema: Schema,
    commands: (message: z.output<Schema>) => readonly FlowCommand[],
  ): Reaction =>
  (body) =>
    commands(schema.parse(body));

const { ibanSet, ibanEnded, contractSigned, contractDeclined } = onboardingEvents;
const { mandateInitialised, mandateEnded, onboardingClosed } = onboardingEvents;

/** The end of a store's mandate concerns no wallet's onboarding. */
const wakeHolder = (walletId: string | null): readonly FlowCommand[] =>
  walletId === null ? [] : [wakeOnboarding(walletId, mandateEnded)];

/** Business events that start or wake flows. */
const OfWallet = z.object({ walletId: z.uuid() });
const OfTicket = z.object({ casenumber: z.string() });
const OfGroup = z.object({ operationGroupId: z.uuid() });
type BusinessEvent =
  | "WalletCreated"
  | "ContractSigned"
  | "IbanValidated"
  | "TicketCreated"
  | "TicketStatusChanged"
  | "OperationGroupInitialized"
  | "OperationGroupConfirmed"
  | "OperationGroupCancelled";

const reactions: Readonly<Record<FlowMessageName | BusinessEvent, Reaction>> = {
  WalletCreated: upon(OfWallet, ({ walletId }) => [startOnboarding(walletId, 1)]),
  IbanSet: upon(flowMessages.IbanSet, (message) => [
    startIban(message),
    wakeOnboarding(message.walletId, ibanSet),
  ]),
  IbanChanged: upon(flowMessages.IbanChanged, ({ walletId, attempt }) => [
    raise(ibanValidationId(walletId, attempt), ibanChanged),
    wakeOnboarding(walletId, ibanEnded),
  ]),
  IbanValidated: upon(OfWallet, ({ walletId }) => [wakeOnboarding(walletId, ibanEnded)]),
  IbanValidationExpired: upon(flowMessages.IbanValidationExpired, ({ walletId }) => [
    wakeOnboarding(walletId, ibanEnded),
  ]),
  SctReceived: upon(flowMessages.SctReceived, ({ bankNotificationId, ...attempt }) => [
    startIban(attempt),
    raise(ibanValidationId(attempt.walletId, attempt.attempt), sctReceived, { bankNotificationId }),
  ]),
  ContractSignRequested: upon(flowMessages.ContractSignRequested, ({ walletId, attempt }) => [
    {
      do: "start",
      start: {
        flow: contractSigning,
        instanceId: contractSigningId(walletId, attempt),
        input: { walletId, attempt },
      },
    },
  ]),
  ContractSigned: upon(OfWallet, ({ walletId }) => [wakeOnboarding(walletId, contractSigned)]),
  ContractDeclined: upon(flowMessages.ContractDeclined, ({ walletId }) => [
    wakeOnboarding(walletId, contractDeclined),
  ]),
  MandateInitialised: upon(flowMessages.MandateInitialised, ({ walletId }) => [
    wakeOnboarding(walletId, mandateInitialised),
  ]),
  MandateSigned: upon(flowMessages.MandateSigned, ({ mandateId }) => [
    startMandate(mandateId),
    raise(mandateActivationId(mandateId), mandateSigned),
  ]),
  StoreMandateAsked: upon(flowMessages.StoreMandateAsked, ({ mandateId }) => [
    startMandate(mandateId),
  ]),
  // Asking ends the wait for the mandate already; what the bank answers to it comes when it may.
  MandateDisableRequested: upon(flowMessages.MandateDisableRequested, ({ mandateId, walletId }) => [
    startMandate(mandateId),
    raise(mandateActivationId(mandateId), disableRequested),
    ...wakeHolder(walletId),
  ]),
  MandateSettled: upon(flowMessages.MandateSettled, ({ walletId }) => wakeHolder(walletId)),
  OnboardingClosed: upon(flowMessages.OnboardingClosed, ({ walletId }) => [
    wakeOnboarding(walletId, onboardingClosed),
  ]),
  // Who is woken by the end of an attempt is the present one: by now that may be the next already.
  OnboardingRestarted: upon(flowMessages.OnboardingRestarted, ({ walletId, attempt }) => [
    raise(walletOnboardingId(walletId, attempt - 1), onboardingClosed),
    startOnboarding(walletId, attempt),
  ]),
  SettlementAdvanced: upon(flowMessages.SettlementAdvanced, ({ flow, ...input }) => {
    const start = settlementStart(flow, input);
    return [{ do: "start", start }, raise(start.instanceId, settlementAdvanced)];
  }),
  StorePaymentAsked: upon(flowMessages.StorePaymentAsked, (input) => [
    { do: "start", start: storesCompensationStart(input) },
    raise(storesCompensationId(input.reconciliationId), storePaymentAsked),
  ]),
  CollectionRequested: upon(flowMessages.CollectionRequested, (input) => [
    {
      do: "start",
      start: { flow: mandateDeposit, instanceId: mandateDepositId(input.requestId), input },
    },
  ]),
  NotificationAdvanced: upon(flowMessages.NotificationAdvanced, (input) => {
    const start = notificationStart(input);
    return [{ do: "start", start }, raise(start.instanceId, notificationAdvanced)];
  }),
  ChallengeRaised: upon(flowMessages.ChallengeRaised, (input) => [
    { do: "start", start: oobChallengeStart(input) },
    raise(oobChallengeId(input.threeDsId), challengeChanged),
  ]),
  ChallengeResolved: upon(flowMessages.ChallengeResolved, ({ threeDsId }) => [
    raise(oobChallengeId(threeDsId), challengeChanged),
  ]),
  ClearingQueued: upon(flowMessages.ClearingQueued, (input) => {
    const start = clearingStart(input);
    return [{ do: "start", start }, raise(start.instanceId, clearingQueued)];
  }),
  FlowRunRequested: upon(flowMessages.FlowRunRequested, (input) => [
    { do: "start", start: { flow: flowRun, instanceId: flowRunId(input.runId), input } },
  ]),
  OperationGroupInitialized: upon(OfGroup, ({ operationGroupId }) => [
    {
      do: "start",
      start: {
        flow: operationGroup,
        instanceId: operationGroupInstance(operationGroupId),
        input: { operationGroupId },
      },
    },
  ]),
  OperationGroupConfirmed: upon(OfGroup, ({ operationGroupId }) => endGroup(operationGroupId)),
  OperationGroupCancelled: upon(OfGroup, ({ operationGroupId }) => endGroup(operationGroupId)),
  TicketCreated: upon(OfTicket, ({ casenumber }) => [startTicket(casenumber)]),
  TicketStatusChanged: upon(OfTicket, ({ casenumber }) => [
    startTicket(casenumber),
    raise(ticketSlaId(casenumber), ticketChanged),
  ]),
};

/** What moves flows: the subscription `flows` lets these through and nothing else. */
export const flowSubjects: readonly string[] = Object.keys(reactions);

const isKnown = (subject: string): subject is keyof typeof reactions =>
  Object.hasOwn(reactions, subject);

/** What moves no flow, and comes all the same where the subscription has no rule, gives no commands. */
export const flowCommands: (subject: string, body: unknown) => readonly FlowCommand[] = (
  subject,
  body,
) => (isKnown(subject) ? reactions[subject](body) : []);
