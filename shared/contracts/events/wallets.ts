/** Events of a wallet and its data (wallet seed, section 6). */
import { z } from "zod";
import { businessEvent, type BusinessEvent } from "./event.js";
import { DateTime, Id, orNull, PartnerKey, Text } from "./fields.js";
import {
  dealerKey,
  email,
  holder,
  iban,
  moments,
  partnerKey,
  phoneNumber,
  residence,
  taxId,
  walletId,
} from "../story/story.js";

const head = {
  walletId: Id,
  partnerKey: PartnerKey,
  taxId: Text,
  firstName: Text,
  lastName: Text,
};
const contacts = { phoneNumber: Text, email: Text };
const dates = {
  creationDate: DateTime,
  lastUpdateDate: orNull(DateTime),
  lastUsageDate: orNull(DateTime),
  closureDate: orNull(DateTime),
  suspensionDate: orNull(DateTime),
};
const tail = { reactivationDate: orNull(DateTime), originatingDealerKey: Text };
const withIban = { iban: orNull(Text).describe("Null: the wallet has none.") };

const createdFields = { ...head, ...contacts, ...dates, ...tail };
const updatedFields = { ...head, ...withIban, ...contacts, ...dates, ...tail };

const headExample = { walletId, partnerKey, taxId, ...holder };
const contactsExample = { phoneNumber, email };
const datesExample = {
  creationDate: moments.walletCreated,
  lastUpdateDate: null,
  lastUsageDate: null,
  closureDate: null,
  suspensionDate: null,
};
const tailExample = { reactivationDate: null, originatingDealerKey: dealerKey };
const createdExample = { ...headExample, ...contactsExample, ...datesExample, ...tailExample };
const updatedExample = { ...createdExample, iban, lastUpdateDate: moments.ibanSet };
const usedExample = { ...updatedExample, lastUsageDate: moments.lastUsed };
const suspendedExample = {
  ...usedExample,
  lastUpdateDate: moments.suspended,
  suspensionDate: moments.suspended,
};
const reactivatedExample = {
  ...suspendedExample,
  lastUpdateDate: moments.reactivated,
  reactivationDate: moments.reactivated,
};
/** The IBAN is removed, and the wallet suspended again. */
const closedExample = {
  ...reactivatedExample,
  iban: null,
  lastUpdateDate: moments.closed,
  suspensionDate: moments.ibanDeleted,
  closureDate: moments.closed,
};

const ofWallet = {
  session: ["walletId"],
  entity: { name: "wallet", id: "walletId" },
} as const;

const walletCreated = businessEvent({
  ...ofWallet,
  name: "WalletCreated",
  forcedAs: "walletcreated",
  payload: createdFields,
  summary: "A wallet was created",
  example: createdExample,
});

const walletUpdated = businessEvent({
  ...ofWallet,
  name: "WalletUpdated",
  forcedAs: "walletupdated",
  payload: updatedFields,
  summary: "Tax id, e-mail or IBAN of a wallet were changed",
  description:
    "Also once an IBAN is validated, and when an IBAN that waits gets another code with which to be verified.",
  example: updatedExample,
});

const walletIbanDeleted = businessEvent({
  ...ofWallet,
  name: "WalletIbanDeleted",
  forcedAs: "walletibandeleted",
  payload: createdFields,
  summary: "A wallet's IBAN was removed",
  description: "By its partner, or because nobody validated it in time.",
  example: {
    ...createdExample,
    lastUpdateDate: moments.ibanDeleted,
    lastUsageDate: moments.lastUsed,
    suspensionDate: moments.suspended,
    reactivationDate: moments.reactivated,
  },
});

const walletAttributesUpdated = businessEvent({
  ...ofWallet,
  name: "WalletAttributesUpdated",
  forcedAs: "walletattributesupdated",
  payload: {
    ...head,
    ...withIban,
    ...contacts,
    addressStreet: orNull(Text),
    addressNumber: orNull(Text),
    zipCode: orNull(Text),
    city: orNull(Text),
    province: orNull(Text),
    country: orNull(Text).describe("ISO 3166-1 alpha-2."),
    hasResidenceDataChanged: z.boolean().describe("Whether a field of the residence changed."),
    ...dates,
    ...tail,
  },
  summary: "Names, phone number, residence or metadata of a wallet were changed",
  example: {
    ...createdExample,
    iban: null,
    lastUpdateDate: moments.attributesSet,
    ...residence,
    hasResidenceDataChanged: true,
  },
});

const walletSuspended = businessEvent({
  ...ofWallet,
  name: "WalletSuspended",
  forcedAs: "walletsuspended",
  payload: updatedFields,
  summary: "A wallet was suspended",
  example: suspendedExample,
});

const walletReactivated = businessEvent({
  ...ofWallet,
  name: "WalletReactivated",
  forcedAs: "walletreactivated",
  payload: updatedFields,
  summary: "A suspended wallet is active again",
  example: reactivatedExample,
});

const walletClosed = businessEvent({
  ...ofWallet,
  name: "WalletClosed",
  forcedAs: "walletclosed",
  payload: updatedFields,
  summary: "A wallet was closed",
  example: closedExample,
});

const walletReopened = businessEvent({
  ...ofWallet,
  name: "WalletReopened",
  forcedAs: "walletreopened",
  payload: {
    ...head,
    ...withIban,
    ...contacts,
    ...dates,
    reopeningDate: orNull(DateTime),
    originatingDealerKey: Text,
  },
  summary: "A closed wallet was opened again, and is suspended",
  example: {
    ...headExample,
    iban: null,
    ...contactsExample,
    ...datesExample,
    lastUpdateDate: moments.reopened,
    lastUsageDate: moments.lastUsed,
    closureDate: moments.closed,
    suspensionDate: moments.ibanDeleted,
    reopeningDate: moments.reopened,
    originatingDealerKey: dealerKey,
  },
});

export const walletEvents: readonly BusinessEvent[] = [
  walletCreated,
  walletUpdated,
  walletIbanDeleted,
  walletAttributesUpdated,
  walletSuspended,
  walletReactivated,
  walletClosed,
  walletReopened,
];
