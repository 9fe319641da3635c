/** Events of a wallet's onboarding: its IBAN, its contract, the onboarding as one (contract 4.7). */
import { z } from "zod";
import { Onboarding, onboardingStepNames } from "../onboarding/onboarding.js";
import { ContractSignature } from "../onboarding/contract.js";
import { Wallet } from "../wallet/wallets.js";
import { businessEvent, type BusinessEvent } from "./event.js";
import { Id, LongText, PartnerKey, Text } from "./fields.js";
import { dealerKey, holder, iban, moments, partnerKey, taxId, walletId } from "./story.js";

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
    ibanValidationCode: "K7WM3RTX",
    phoneNumber: "+393401234567",
    email: "mario.rossi@example.com",
    creationDate: moments.walletCreated,
    lastUpdateDate: moments.ibanValidated,
    lastUsageDate: moments.ibanValidated,
    closureDate: null,
    suspensionDate: null,
    originatingDealerKey: dealerKey,
    addressStreet: "Via Roma",
    addressNumber: "1",
    zipCode: "00184",
    city: "Roma",
    province: "RM",
    country: "IT",
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
  startedAt: moments.ibanValidated,
  endedAt: moments.contractSigned,
} as const;

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
    walletId,
    partnerKey,
    status: "Running",
    steps: [
      ibanStep,
      contractStep,
      {
        name: "mandateActivation",
        status: "Running",
        startedAt: moments.mandateSigned,
        endedAt: null,
        detail: "The bank has not answered yet.",
      },
    ],
    startedAt: moments.walletCreated,
    endedAt: null,
    openSteps: ["mandateActivation"],
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
