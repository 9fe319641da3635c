/** Events of a wallet's onboarding: its IBAN, its contract, the onboarding as one (contract 4.7). */
import { z } from "zod";
import { Onboarding, onboardingStepNames } from "../onboarding/onboarding.js";
import { ContractSignature } from "../onboarding/contract.js";
import { Wallet } from "../wallet/wallets.js";
import { businessEvent, type BusinessEvent } from "./event.js";
import { Id, LongText, PartnerKey, Text } from "./fields.js";
import {
  dealerKey,
  email,
  holder,
  iban,
  ibanValidationCode,
  moments,
  neighboursWalletId,
  partnerKey,
  phoneNumber,
  residence,
  taxId,
  walletId,
} from "../story/story.js";

const unforced = { forcedAs: null, session: ["walletId"] } as const;

const ibanValidated = businessEvent({
  ...unforced,
  name: "IbanValidated",
  payload: Wallet.shape,
  entity: { name: "wallet", id: "walletId" },
  summary: "A wallet's IBAN is validated",
  description: "The wallet record; the event WalletUpdated comes, too.",
  example: {
    walletId,
    partnerKey,
    taxId,
    ...holder,
    iban,
    bic: null,
    isIbanValidated: true,
    ibanValidationCode,
    phoneNumber,
    email,
    creationDate: moments.walletCreated,
    lastUpdateDate: moments.ibanValidated,
    lastUsageDate: moments.ibanValidated,
    closureDate: null,
    suspensionDate: null,
    originatingDealerKey: dealerKey,
    ...residence,
    status: "Active",
    metadata: null,
  },
});

const ibanValidationFailed = businessEvent({
  ...unforced,
  name: "IbanValidationFailed",
  payload: { walletId: Id, partnerKey: PartnerKey, iban: Text, feedback: LongText },
  entity: { name: "wallet", id: "walletId" },
  summary: "An attempt to validate an IBAN has ended without success",
  description:
    "Once for each attempt: no fitting transfer came in time, or the IBAN was replaced or removed, or " +
    "the wallet was closed. `feedback` says which, and why the last transfer did not fit.",
  example: {
    walletId,
    partnerKey,
    iban,
    feedback: "No fitting transfer came in time",
  },
});

const contractSigned = businessEvent({
  ...unforced,
  name: "ContractSigned",
  payload: { ...ContractSignature.shape, partnerKey: PartnerKey },
  entity: { name: "contract", id: "walletId" },
  summary: "A wallet's contract is signed and sealed",
  example: { walletId, partnerKey, status: "Signed", signedAt: moments.contractSigned },
});

const onboardingFields = { ...Onboarding.shape, partnerKey: PartnerKey };

const settled = { detail: null, status: "Completed" } as const;
const ibanStep = {
  ...settled,
  name: "ibanValidation",
  startedAt: moments.ibanSet,
  endedAt: moments.ibanValidated,
} as const;
const contractStep = {
  ...settled,
  name: "contractSigning",
  startedAt: moments.contractSigned,
  endedAt: moments.contractSigned,
} as const;

const waiting = { status: "Waiting", startedAt: null, endedAt: null } as const;

const onboardingReminder = businessEvent({
  ...unforced,
  name: "OnboardingReminder",
  payload: {
    ...onboardingFields,
    openSteps: z.array(z.enum(onboardingStepNames)),
    day: z.int().positive().describe("Days since the onboarding's start: 7, 30 or 60."),
  },
  entity: { name: "onboarding", id: "walletId" },
  summary: "Steps of an onboarding are still open",
  example: {
    walletId: neighboursWalletId,
    partnerKey,
    status: "Running",
    steps: [
      { ...waiting, name: "ibanValidation", detail: "Waiting for an IBAN" },
      {
        name: "contractSigning",
        status: "Failed",
        startedAt: moments.contractDeclined,
        endedAt: moments.contractDeclined,
        detail: "The contract was declined: sign it to go on",
      },
      { ...waiting, name: "mandateActivation", detail: "Waiting for a mandate" },
    ],
    startedAt: moments.contractDeclined,
    endedAt: null,
    openSteps: [...onboardingStepNames],
    day: 7,
  },
});

const onboardingEnded = businessEvent({
  ...unforced,
  name: "OnboardingEnded",
  payload: onboardingFields,
  entity: { name: "onboarding", id: "walletId" },
  summary: "An onboarding has ended",
  description: "`status` is `Completed`, `Expired`, or `Failed` where the wallet was closed.",
  example: {
    walletId,
    partnerKey,
    status: "Completed",
    steps: [
      ibanStep,
      contractStep,
      {
        ...settled,
        name: "mandateActivation",
        startedAt: moments.mandateSigned,
        endedAt: moments.mandateActive,
      },
    ],
    startedAt: moments.walletCreated,
    endedAt: moments.mandateActive,
  },
});

export const onboardingEvents: readonly BusinessEvent[] = [
  ibanValidated,
  ibanValidationFailed,
  contractSigned,
  onboardingReminder,
  onboardingEnded,
];
