/** The refusals of accounts, addresses and cards. */
import * as accounts from "../../../shared/contracts/card/accounts.js";
import * as addresses from "../../../shared/contracts/card/addresses.js";
import * as cards from "../../../shared/contracts/card/cards.js";
import type { Route } from "../../../shared/contracts/route.js";
import type { Database } from "../../../shared/database/platform/database.js";
import type {
  AccountLevel,
  AccountStatus,
  CardStatus,
} from "../../../shared/domain/card/statuses.js";
import { nowhere, pageCases, type CardCase } from "./card-cases.js";
import { issueCard, openAccount } from "./cards.js";

const addressBody = {
  ...{ type: "Work", countryCode: "ITA", line1: "Via Roma 1", city: "Roma", zipCode: "00184" },
  externalReference: null,
};
const cardBody = {
  cardHolderCustomerId: nowhere,
  ...{ nameOnCard: "MARIO ROSSI", relationType: "Primary" },
};
const note = { note: "as asked" };

/** `read` is called when a state is asked for: the database may open later. */
const statesOf = (read: () => Database) => {
  const account =
    (status: AccountStatus = "ACTIVE", lockLevel: AccountLevel = "Admin", partnerKey = "acme") =>
    async () => ({
      id: (
        await openAccount(read(), {
          partnerKey,
          status,
          lockLevel,
          statusReasonCode: "UserRequest",
        })
      ).accountId,
    });
  const cardOf =
    (partnerKey: string, status: CardStatus = "Active", reason = "LostCard") =>
    async () => {
      const { accountId } = await openAccount(read(), { partnerKey });
      const changes = { status, statusReasonCode: reason, lockLevel: "Client" } as const;
      const { cardId } = await issueCard(read(), accountId, changes);
      return { id: cardId, cardId };
    };
  const address = async () => ({
    id: (await openAccount(read(), { partnerKey: "globex" })).addressId,
  });
  const twoAccounts = async () => {
    const { customerId } = await openAccount(read());
    await openAccount(read(), { customerId });
    return { id: customerId };
  };
  const unknown = async () => ({ id: nowhere, cardId: nowhere });
  const ofGlobex = account("ACTIVE", "Admin", "globex");
  return { account, cardOf, address, twoAccounts, unknown, ofGlobex };
};

interface Call {
  readonly query?: string;
  readonly body?: unknown;
}

export const cardCases = (read: () => Database): readonly CardCase[] => {
  const { account, cardOf, address, twoAccounts, unknown, ofGlobex } = statesOf(read);
  const ofAccounts = (route: Route, call: Call = {}): CardCase[] => [
    { route, ...call, code: "AccountNotFound", given: unknown, says: { accountId: nowhere } },
    { route, ...call, code: "AccountOfAnotherAffiliate", given: ofGlobex },
  ];
  const ofCards = (route: Route, call: Call = {}): CardCase[] => [
    { route, ...call, code: "CardNotFound", given: unknown, says: { cardId: nowhere } },
    { route, ...call, code: "AccountOfAnotherAffiliate", given: cardOf("globex") },
  ];
  const badQuery = (
    route: Route,
    query: string,
    says: CardCase["says"],
    body?: unknown,
  ): CardCase => ({
    ...{ route, query, body, code: "QueryParameterInvalid", given: unknown },
    ...(says === undefined ? {} : { says }),
  });
  const wrongAccount = (route: Route, query: string, status: AccountStatus): CardCase => ({
    ...{ route, query, code: "AccountStatusInvalid", given: account(status), says: { status } },
  });
  const wrongCard = (
    route: Route,
    query: string,
    status: CardStatus,
    body?: unknown,
  ): CardCase => ({
    ...{ route, query, body, code: "CardStatusInvalid", given: cardOf("acme", status) },
    says: { status },
  });
  const range = "fromDate=2026-02-01T00:00:00Z&toDate=2026-01-01T00:00:00Z";
  const lock = "lockType=UserRequest&level=CardHolder";
  const cardLock = "lockType=LostCard&level=Client";
  const blockReason = "accountBlockRequestReasonCode=UserRequest";
  return [
    ...ofAccounts(accounts.getAccountRoute),
    ...ofAccounts(accounts.updateAccountRoute, { body: { externalReference: "x" } }),
    ...ofAccounts(accounts.deleteAccountRoute, { query: "reasonCode=UserRequest" }),
    badQuery(accounts.deleteAccountRoute, "", undefined),
    wrongAccount(accounts.deleteAccountRoute, "reasonCode=UserRequest", "DELETED"),
    ...pageCases(accounts.searchAccountsRoute, unknown, { accountNumber: "123" }),
    ...ofAccounts(accounts.lockAccountRoute, { query: lock }),
    badQuery(accounts.lockAccountRoute, "lockType=LostCard&level=Admin", undefined),
    wrongAccount(accounts.lockAccountRoute, lock, "BLOCKED"),
    {
      ...{ route: accounts.lockAccountRoute, query: lock, code: "LockLevelInsufficient" },
      ...{ given: account("LOCKED", "AccountHolder"), says: { lockLevel: "AccountHolder" } },
    },
    ...ofAccounts(accounts.unlockAccountRoute, { query: "level=Admin" }),
    badQuery(accounts.unlockAccountRoute, "level=Client", undefined),
    wrongAccount(accounts.unlockAccountRoute, "level=Admin", "ACTIVE"),
    {
      ...{ route: accounts.unlockAccountRoute, query: "level=CardHolder" },
      ...{ code: "LockLevelInsufficient", given: account("LOCKED"), says: { lockLevel: "Admin" } },
    },
    ...ofAccounts(accounts.blockAccountRoute, { query: blockReason }),
    badQuery(
      accounts.blockAccountRoute,
      "accountBlockRequestReasonCode=PermanentBlockChargeOff",
      undefined,
    ),
    wrongAccount(accounts.blockAccountRoute, blockReason, "BLOCKED"),
    ...ofAccounts(accounts.getAccountHistoryRoute),
    ...pageCases(accounts.getAccountHistoryRoute, unknown),
    {
      ...{ route: accounts.getAccountHistoryRoute, query: range, given: unknown },
      code: "DateRangeInvalid",
    },

    { route: addresses.getAddressRoute, code: "AddressNotFound", given: unknown },
    { route: addresses.getAddressRoute, code: "AccountOfAnotherAffiliate", given: address },
    ...(["AddressNotFound", "AccountOfAnotherAffiliate"] as const).map((code): CardCase => ({
      ...{ route: addresses.updateAddressRoute, code, body: addressBody },
      given: code === "AddressNotFound" ? unknown : address,
    })),

    ...ofAccounts(cards.listCardsRoute),
    ...pageCases(cards.listCardsRoute, unknown),
    ...ofAccounts(cards.createCardRoute, { body: cardBody }),
    {
      ...{ route: cards.createCardRoute, code: "AccountStatusInvalid", body: cardBody },
      ...{ given: account("LOCKED"), says: { status: "LOCKED" } },
    },
    { route: cards.createCardRoute, code: "AccountAmbiguous", given: twoAccounts, body: cardBody },
    ...ofCards(cards.getCardRoute),
    ...ofCards(cards.updateCardRoute, { body: {} }),
    ...ofCards(cards.deleteCardRoute, { query: "reasonCode=UserRequest" }),
    badQuery(cards.deleteCardRoute, "reasonCode=LostCard", undefined),
    wrongCard(cards.deleteCardRoute, "reasonCode=UserRequest", "Deleted"),
    ...ofCards(cards.lockCardRoute, { query: cardLock, body: note }),
    badQuery(
      cards.lockCardRoute,
      "lockType=LostCard",
      { level: "must be one of Client, Admin." },
      note,
    ),
    wrongCard(cards.lockCardRoute, cardLock, "Locked", note),
    ...ofCards(cards.unlockCardRoute, { query: "level=Client", body: note }),
    badQuery(cards.unlockCardRoute, "level=CardHolder", undefined, note),
    wrongCard(cards.unlockCardRoute, "level=Client", "Active", note),
    {
      ...{ route: cards.unlockCardRoute, query: "level=Client", code: "LockLevelInsufficient" },
      ...{ given: cardOf("acme", "Locked", "StolenCard"), body: note },
      says: { level: "must be Admin.", statusReasonCode: "StolenCard" },
    },
    ...ofCards(cards.blockCardRoute, { query: "reasonCode=LostCard" }),
    badQuery(cards.blockCardRoute, "reasonCode=ClientRequestedLock", undefined),
    wrongCard(cards.blockCardRoute, "reasonCode=LostCard", "Blocked"),
    ...ofCards(cards.getCardHistoryRoute),
    ...pageCases(cards.getCardHistoryRoute, unknown),
    {
      ...{ route: cards.getCardHistoryRoute, query: range, given: unknown },
      code: "DateRangeInvalid",
    },
  ];
};
