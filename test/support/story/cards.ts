/** Mario Rossi's card: opened, issued, limited, given a PIN, locked and unlocked, and at last deleted. */
import * as accounts from "../../../shared/contracts/card/accounts.js";
import * as addresses from "../../../shared/contracts/card/addresses.js";
import * as cards from "../../../shared/contracts/card/cards.js";
import { setCardLimitsRoute } from "../../../shared/contracts/card/limits.js";
import { changePinRoute, getPinKeyRoute } from "../../../shared/contracts/card/pins.js";
import {
  makePinTokenRoute,
  openCardAccountRoute,
} from "../../../shared/contracts/sandbox/card-processor.js";
import * as told from "../../../shared/contracts/story/story.js";
import { cypherOf } from "../card/pin-cyphers.js";
import type { Customer } from "./onboarding.js";
import type { Story } from "./teller.js";

/** The card, by what names it in paths and in what the card network sends. */
export interface IssuedCard {
  readonly accountId: string;
  readonly cardId: string;
  readonly panToken: string;
}

const address = {
  type: "PermanentResidence",
  countryCode: "ITA",
  line1: "Via Roma 1",
  line2: null,
  line3: null,
  city: "Roma",
  postOffice: null,
  zipCode: "00184",
  province: "RM",
  externalReference: null,
} as const;

const opensAccount = async ({ at, tell, call, until, name }: Story): Promise<string> => {
  await at("2025-03-17T08:00");
  const { accountId, addressId } = await tell(openCardAccountRoute, {
    body: { customerId: told.customerId, ...told.holder, address },
  });
  name(accountId, told.accountId);
  name(addressId, told.addressId);
  const params = { id: accountId };
  // It is unknown until the processor's event is handled.
  const account = await until(
    () => call(accounts.getAccountRoute, { params }).catch(() => undefined),
    (found) => found !== undefined,
  );
  if (account === undefined) throw new Error("the processor opened no account");
  name(account.accountNumber, told.accountNumber);
  await tell(accounts.updateAccountRoute, { params, body: { externalReference: "CUSTOMER-1042" } });
  await tell(accounts.getAccountRoute, { params });
  await tell(accounts.searchAccountsRoute, { body: { accountNumber: account.accountNumber } });
  await tell(addresses.updateAddressRoute, {
    params: { id: addressId },
    body: { ...address, line2: "Scala B" },
  });
  await tell(addresses.getAddressRoute, { params: { id: addressId } });
  return accountId;
};

const issuesCard = async (
  { at, tell, call, until, name }: Story,
  accountId: string,
  walletId: string,
): Promise<IssuedCard> => {
  await at("2025-03-17T08:05");
  const { cardId } = await tell(cards.createCardRoute, {
    params: { id: accountId },
    body: {
      cardHolderCustomerId: told.customerId,
      nameOnCard: "MARIO ROSSI",
      relationType: "Primary",
      financialReference: walletId,
    },
  });
  name(cardId, told.cardId);
  const params = { cardId };
  const { panToken, maskedPan } = await until(
    () => call(cards.getCardRoute, { params }),
    (card) => card.panToken !== null,
  );
  if (panToken === null || maskedPan === null) throw new Error("the processor issued no card");
  name(panToken, told.panToken);
  name(maskedPan, told.maskedPan);
  await tell(cards.updateCardRoute, {
    params,
    body: { financialReference: walletId, externalReference: "CARD-1042" },
  });
  await tell(cards.getCardRoute, { params });
  await tell(cards.listCardsRoute, { params: { id: accountId } });
  return { accountId, cardId, panToken };
};

const isMadeReady = async ({ at, tell, name }: Story, cardId: string): Promise<void> => {
  await at("2025-03-17T08:10");
  await tell(setCardLimitsRoute, {
    params: { cardId },
    body: {
      limits: [
        { type: "perTransaction", limit: 250, isDisabled: false },
        { type: "dailyOverall", limit: 500, isDisabled: false },
        { type: "monthlyOverall", limit: 1_500, isDisabled: false },
      ],
    },
  });
  const key = await tell(getPinKeyRoute, {});
  name(key.kid, told.pinKeyId);
  const { token } = await tell(makePinTokenRoute, { body: { cardId } });
  await tell(changePinRoute, { body: { cypher: cypherOf("73914", key), token } });
};

/** A card that pays from the wallet. */
export const issueCard = async (story: Story, { walletId }: Customer): Promise<IssuedCard> => {
  const accountId = await opensAccount(story);
  const card = await issuesCard(story, accountId, walletId);
  await isMadeReady(story, card.cardId);
  return card;
};

/** What may go wrong with a card, from a pocket where it is not found to the end of its account. */
export const endCard = async (
  { at, tell }: Story,
  { accountId, cardId }: IssuedCard,
): Promise<void> => {
  const params = { id: cardId };
  const ofAccount = { id: accountId };
  await at("2025-03-20T08:00");
  await tell(cards.lockCardRoute, {
    params,
    query: { lockType: "ClientRequestedLock", level: "Client" },
    body: { note: "Not found since yesterday" },
  });
  await at("2025-03-20T09:00");
  await tell(cards.unlockCardRoute, {
    params,
    query: { level: "Client" },
    body: { note: "It was in the other coat" },
  });
  await at("2025-03-21T08:00");
  await tell(accounts.lockAccountRoute, {
    params: ofAccount,
    query: { lockType: "TemporaryBlockForDelinquency", level: "Admin" },
  });
  await at("2025-03-21T09:00");
  await tell(accounts.unlockAccountRoute, { params: ofAccount, query: { level: "Admin" } });
  await at("2025-03-24T08:00");
  await tell(cards.blockCardRoute, { params, query: { reasonCode: "LostCard" } });
  await tell(cards.deleteCardRoute, { params: { cardId }, query: { reasonCode: "UserRequest" } });
  await tell(cards.getCardHistoryRoute, { params: { cardId } });
  await at("2025-03-28T08:00");
  await tell(accounts.blockAccountRoute, {
    params: ofAccount,
    query: { accountBlockRequestReasonCode: "IssuerRequestLegalAction" },
  });
  await tell(accounts.deleteAccountRoute, {
    params: ofAccount,
    query: { reasonCode: "IssuerRequestGeneral" },
  });
  await tell(accounts.getAccountHistoryRoute, { params: ofAccount });
};
