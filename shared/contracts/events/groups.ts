/** Events of groups of operations (wallet seed, section 6). */
import { businessEvent, type BusinessEvent } from "./event.js";
import { DateTime, Id, orNull, PartnerKey, Text } from "./fields.js";
import {
  cancelledGroupId,
  dealerKey,
  moments,
  operationGroupId,
  partnerKey,
  walletId,
} from "../story/story.js";

const initialisedFields = {
  operationGroupId: Id,
  walletId: Id,
  partnerKey: PartnerKey,
  dealerKey: orNull(Text).describe("The dealer that opened the wallet."),
  creationDate: DateTime,
};

const initialisedExample = {
  operationGroupId,
  walletId,
  partnerKey,
  dealerKey,
  creationDate: moments.groupInitialised,
};

const ofGroup = {
  session: ["walletId"],
  entity: { name: "operation group", id: "operationGroupId" },
} as const;

const groupInitialised = businessEvent({
  ...ofGroup,
  name: "OperationGroupInitialized",
  forcedAs: "operationgroupinitialized",
  payload: initialisedFields,
  summary: "A group of operations was opened",
  example: initialisedExample,
});

const groupConfirmed = businessEvent({
  ...ofGroup,
  name: "OperationGroupConfirmed",
  forcedAs: "operationgroupconfirmed",
  payload: { ...initialisedFields, confirmationDate: DateTime },
  summary: "A group was confirmed: all of its operations are",
  description: "The events of its operations follow.",
  example: { ...initialisedExample, confirmationDate: moments.groupConfirmed },
});

const groupCancelled = businessEvent({
  ...ofGroup,
  name: "OperationGroupCancelled",
  forcedAs: "operationgroupcancelled",
  payload: {
    ...initialisedFields,
    cancellationDate: orNull(DateTime),
    expiryDate: orNull(DateTime),
    terminationDate: orNull(DateTime),
  },
  summary: "A group ended without being confirmed",
  description:
    "The one date that is set tells how: it was cancelled, it expired, or it was terminated.",
  example: {
    ...initialisedExample,
    operationGroupId: cancelledGroupId,
    creationDate: moments.groupCancelled,
    cancellationDate: moments.groupCancelled,
    expiryDate: null,
    terminationDate: null,
  },
});

export const groupEvents: readonly BusinessEvent[] = [
  groupInitialised,
  groupConfirmed,
  groupCancelled,
];
