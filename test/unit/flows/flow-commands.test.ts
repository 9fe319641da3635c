/** Which message starts and wakes which flow. */
import { expect, test } from "vitest";
import {
  flowCommands,
  flowSubjects,
  type FlowCommand,
} from "../../../functions/broker/flow-commands.js";
import { readTopology } from "../../../local/broker/topology.js";
import { flowMessages } from "../../../shared/contracts/platform/flow-messages.js";

const walletId = "0190a6b0-5a51-7000-8000-000000000001";
const mandateId = "0190a6b0-5a51-7000-8000-00000000000b";
const bankNotificationId = "0190a6b0-5a51-7000-8000-00000000000a";
const operationId = "0190a6b0-5a51-7000-8000-0000000000aa";
const requestId = "0190a6b0-5a51-7000-8000-0000000000cc";
const runId = "0190a6b0-5a51-7000-8000-0000000000bb";
const reconciliationId = "0190a6b0-5a51-7000-8000-0000000000cc";
const operationGroupId = "0190a6b0-5a51-7000-8000-00000000000c";
const threeDsId = "0190a6b0-5a51-7000-8000-00000000000d";
const clearingBookmarkId = "0190a6b0-5a51-7000-8000-00000000000e";
const body = {
  clearingBookmarkId,
  round: 3,
  threeDsId,
  operationGroupId,
  reconciliationId,
  walletId,
  mandateId,
  bankNotificationId,
  partnerKey: "acme",
  attempt: 2,
  status: "Active",
  operationId,
  runId,
  requestId,
  flow: "outgoingPayment",
  casenumber: "CAS-2345-6789-ABCD",
};

const inWords = (command: FlowCommand): string => {
  switch (command.do) {
    case "start":
      return `start ${command.start.flow.name} as ${command.start.instanceId}`;
    case "raise":
      return `raise ${command.event.name} to ${command.instanceId}`;
    case "wakeOnboarding":
      return `raise ${command.event.name} to the onboarding of ${command.walletId}`;
  }
};

const expected: Readonly<Record<string, readonly string[]>> = {
  WalletCreated: [`start walletOnboarding as onboarding-${walletId}`],
  IbanSet: [
    `start ibanValidation as iban-${walletId}-2`,
    `raise ibanSet to the onboarding of ${walletId}`,
  ],
  IbanChanged: [
    `raise ibanChanged to iban-${walletId}-2`,
    `raise ibanEnded to the onboarding of ${walletId}`,
  ],
  IbanValidated: [`raise ibanEnded to the onboarding of ${walletId}`],
  IbanValidationExpired: [`raise ibanEnded to the onboarding of ${walletId}`],
  SctReceived: [
    `start ibanValidation as iban-${walletId}-2`,
    `raise sctReceived to iban-${walletId}-2`,
  ],
  ContractSignRequested: [`start contractSigning as contract-${walletId}-2`],
  ContractSigned: [`raise contractSigned to the onboarding of ${walletId}`],
  ContractDeclined: [`raise contractDeclined to the onboarding of ${walletId}`],
  MandateInitialised: [`raise mandateInitialised to the onboarding of ${walletId}`],
  MandateSigned: [
    `start mandateActivation as mandate-${mandateId}`,
    `raise mandateSigned to mandate-${mandateId}`,
  ],
  StoreMandateAsked: [`start mandateActivation as mandate-${mandateId}`],
  MandateDisableRequested: [
    `start mandateActivation as mandate-${mandateId}`,
    `raise disableRequested to mandate-${mandateId}`,
    `raise mandateEnded to the onboarding of ${walletId}`,
  ],
  MandateSettled: [`raise mandateEnded to the onboarding of ${walletId}`],
  TicketCreated: ["start ticketSla as ticket-CAS-2345-6789-ABCD"],
  TicketStatusChanged: [
    "start ticketSla as ticket-CAS-2345-6789-ABCD",
    "raise ticketChanged to ticket-CAS-2345-6789-ABCD",
  ],
  SettlementAdvanced: [
    `start outgoingPayment as payment-${operationId}`,
    `raise settlementAdvanced to payment-${operationId}`,
  ],
  StorePaymentAsked: [
    `start storesCompensation as compensation-${reconciliationId}`,
    `raise storePaymentAsked to compensation-${reconciliationId}`,
  ],
  CollectionRequested: [`start mandateDeposit as deposit-${requestId}`],
  NotificationAdvanced: [
    `start bankNotification as notification-${bankNotificationId}`,
    `raise notificationAdvanced to notification-${bankNotificationId}`,
  ],
  ChallengeRaised: [
    `start oobChallenge as challenge-${threeDsId}`,
    `raise challengeChanged to challenge-${threeDsId}`,
  ],
  ChallengeResolved: [`raise challengeChanged to challenge-${threeDsId}`],
  ClearingQueued: [
    `start clearing as clearing-${clearingBookmarkId}-3`,
    `raise clearingQueued to clearing-${clearingBookmarkId}-3`,
  ],
  FlowRunRequested: [`start flowRun as run-${runId}`],
  OperationGroupInitialized: [`start operationGroup as group-${operationGroupId}`],
  OperationGroupConfirmed: [`raise groupEnded to group-${operationGroupId}`],
  OperationGroupCancelled: [`raise groupEnded to group-${operationGroupId}`],
  OnboardingRestarted: [
    `raise onboardingClosed to onboarding-${walletId}`,
    `start walletOnboarding as onboarding-${walletId}-2`,
  ],
  OnboardingClosed: [`raise onboardingClosed to the onboarding of ${walletId}`],
};

const businessEvents = ["WalletCreated", "ContractSigned", "TicketCreated", "TicketStatusChanged"];

test.each([...businessEvents, ...Object.keys(flowMessages)])("%s moves its flows", (subject) => {
  expect(flowCommands(subject, body).map(inWords)).toEqual(expected[subject]);
});

test.each(["WalletUpdated", "BucketCreated", "", "toString"])(
  "a message of subject '%s' moves nothing",
  (subject) => {
    expect(flowCommands(subject, body)).toEqual([]);
  },
);

test("the subscription of the flows lets through what moves flows, and nothing else", async () => {
  const { topics } = await readTopology("servicebus.config.json");
  const [flows] = topics.find(({ path }) => path === "platform-events")?.subscriptions ?? [];
  const filters = (flows?.rules ?? []).map(({ filter }) =>
    filter.kind === "sql" ? filter.expression : "",
  );
  const names = flowSubjects.map((subject) => `'${subject}'`).join(", ");
  expect(filters).toEqual([`sys.Label IN (${names})`]);
});

test("the end of a store's mandate concerns no wallet's onboarding", () => {
  const message = { ...body, walletId: null };
  expect(flowCommands("MandateSettled", message)).toEqual([]);
  expect(flowCommands("MandateDisableRequested", message).map(inWords)).toEqual(
    expected["MandateSigned"]?.map((line) => line.replace("mandateSigned", "disableRequested")),
  );
});

test("a message that cannot be read is refused, not half obeyed", () => {
  expect(() => flowCommands("IbanSet", { ...body, attempt: "two" })).toThrow("attempt");
});
