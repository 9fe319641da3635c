/** Events of card accounts and cards (contract 4.5, 4.7). */
import { z } from "zod";
import { accountStatuses, cardStatuses } from "../../domain/card/statuses.js";
import { Account, Card } from "../card/fields.js";
import { businessEvent, type BusinessEvent } from "./event.js";
import { PartnerKey } from "./fields.js";
import {
  accountId,
  accountNumber,
  cardId,
  customerId,
  maskedPan,
  moments,
  panToken,
  partnerKey,
  walletId,
} from "../story/story.js";

const ofAccount = {
  forcedAs: null,
  payload: {
    partnerKey: PartnerKey,
    previousStatus: z.enum(accountStatuses),
    ...Account.shape,
  },
  session: ["accountId"],
  entity: { name: "cardAccount", id: "accountId" },
} as const;

const account = {
  partnerKey,
  previousStatus: "ACTIVE",
  accountId,
  customerId,
  accountNumber,
  status: "LOCKED",
  type: "CHARGE",
  statusReasonCode: "TemporaryBlockForDelinquency",
  cardProcessorReference: accountId,
  externalReference: "CUSTOMER-1042",
  creationDate: moments.accountOpened,
  lastUpdateDate: moments.accountLocked,
  lockLevel: "Admin",
  cardProcessorData: {
    id: accountId,
    accountNumber,
    type: "CHARGE",
    productCode: null,
    feeProfile: null,
    accountProfile: null,
    customerId,
    sourceId: null,
    status: "ACTIVE",
    statusReasonCode: null,
    currency: "EUR",
  },
} as const;

const accountEvent = (
  name: string,
  summary: string,
  change: Partial<z.infer<typeof Account>> & {
    readonly previousStatus: (typeof accountStatuses)[number];
  },
  description?: string,
): BusinessEvent =>
  businessEvent({
    ...ofAccount,
    name,
    summary,
    ...(description === undefined ? {} : { description }),
    example: { ...account, ...change },
  });

const ofCard = {
  forcedAs: null,
  payload: {
    partnerKey: PartnerKey,
    previousStatus: z.enum(cardStatuses).nullable().describe("Null: it was created."),
    ...Card.shape,
  },
  session: ["cardId"],
  entity: { name: "card", id: "cardId" },
} as const;

const card = {
  partnerKey,
  previousStatus: "Active",
  cardId,
  accountId,
  customerId,
  barCode: null,
  financialReference: walletId,
  productCode: "STANDARD",
  panToken,
  maskedPan,
  status: "Active",
  statusReasonCode: null,
  lockLevel: null,
  expiryDate: "2029-03-31",
  cardProcessorReference: cardId,
  externalReference: "CARD-1042",
  creationDate: moments.cardCreated,
  lastUpdateDate: moments.cardLocked,
  nameOnCard: "MARIO ROSSI",
  cardProcessorData: {
    id: cardId,
    sourceId: cardId,
    nameOnCard: "MARIO ROSSI",
    productCode: "STANDARD",
    accountId: null,
    accountSourceId: accountId,
    panToken,
    maskedPan,
    status: "Active",
    statusReasonCode: null,
    expiryDate: "2029-03-31",
    customerId: null,
    customerSourceId: customerId,
    relationType: "Primary",
    lockLevel: null,
    membershipFeeEffectiveDate: null,
    embossingData: { isPlasticOrdered: false, persoBureauHandoverDate: null },
  },
} as const;

const cardEvent = (
  name: string,
  summary: string,
  change: Partial<z.infer<typeof Card>> & {
    readonly previousStatus: (typeof cardStatuses)[number] | null;
  },
  description?: string,
): BusinessEvent =>
  businessEvent({
    ...ofCard,
    name,
    summary,
    ...(description === undefined ? {} : { description }),
    example: { ...card, ...change },
  });

const unlocked = { lockLevel: null, statusReasonCode: null } as const;

export const cardEvents: readonly BusinessEvent[] = [
  accountEvent(
    "AccountLocked",
    "A card account was locked",
    { previousStatus: "ACTIVE" },
    "Its cards keep their status and decline. `previousStatus` is LOCKED where it was locked anew.",
  ),
  accountEvent("AccountUnlocked", "A card account was unlocked", {
    ...{ ...unlocked, previousStatus: "LOCKED", status: "ACTIVE" },
    lastUpdateDate: moments.accountUnlocked,
  }),
  accountEvent(
    "AccountBlocked",
    "A card account was blocked for good",
    {
      ...{ previousStatus: "ACTIVE", status: "BLOCKED", lockLevel: null },
      ...{ statusReasonCode: "IssuerRequestLegalAction", lastUpdateDate: moments.accountEnded },
    },
    "CardBlocked follows for each of its cards that was Active or Locked.",
  ),
  accountEvent(
    "AccountDeleted",
    "A card account was deleted",
    {
      ...{ previousStatus: "BLOCKED", status: "DELETED", lockLevel: null },
      ...{ statusReasonCode: "IssuerRequestGeneral", lastUpdateDate: moments.accountEnded },
    },
    "CardDeleted follows for each of its cards that was not deleted before.",
  ),
  cardEvent(
    "CardCreated",
    "A card was created",
    {
      ...{ previousStatus: null, panToken: null, maskedPan: null, expiryDate: null },
      ...{ cardProcessorReference: null, externalReference: null, lastUpdateDate: null },
      cardProcessorData: {
        ...card.cardProcessorData,
        ...{ id: null, accountId: null, panToken: null, maskedPan: null },
        ...{ status: null, expiryDate: null },
      },
    },
    "Its token, masked number and expiry date are null until the card processor has issued it.",
  ),
  cardEvent("CardLocked", "A card was locked", {
    ...{ previousStatus: "Active", status: "Locked" },
    ...{ lockLevel: "Client", statusReasonCode: "ClientRequestedLock" },
  }),
  cardEvent("CardUnlocked", "A card was unlocked", {
    ...{ ...unlocked, previousStatus: "Locked", status: "Active" },
    lastUpdateDate: moments.cardUnlocked,
  }),
  cardEvent("CardBlocked", "A card was blocked for good", {
    ...{ previousStatus: "Active", status: "Blocked", statusReasonCode: "LostCard" },
    lastUpdateDate: moments.cardEnded,
  }),
  cardEvent("CardDeleted", "A card was deleted", {
    ...{ previousStatus: "Blocked", status: "Deleted", statusReasonCode: "UserRequest" },
    lastUpdateDate: moments.cardEnded,
  }),
  cardEvent(
    "CardExpired",
    "A card expired",
    {
      ...{ previousStatus: "Active", status: "Expired" },
      lastUpdateDate: "2029-03-31T22:05:00.000Z",
    },
    "On the first day of the month after its expiry date, as days are counted in Rome.",
  ),
];
