/** The operations of each API under headings, both in the order in which a reader needs them. */
import type { DocumentedApi } from "./security.js";

export interface Heading {
  readonly name: string;
  readonly description: string;
  /** Route ids. */
  readonly operations: readonly string[];
}

const ofFamily = (type: string): string[] =>
  ["initialise", "confirm", "cancel", "terminate", "simulate"].map((verb) => `${verb}${type}`);

const wallet: readonly Heading[] = [
  {
    name: "Wallets",
    description: "A customer's wallet: created, found, changed, suspended, closed.",
    operations: [
      ...["createWallet", "getWallet", "getWalletBalance", "getWalletLimits", "getWalletBuckets"],
      ...["updateWallet", "updateWalletAttributes", "searchWallet", "getAllWallets"],
      ...["suspendWallet", "reactivateWallet", "closeWallet", "reopenWallet", "destroyWallet"],
      ...["getStatement", "resyncBuckets"],
    ],
  },
  {
    name: "Onboarding",
    description:
      "What makes a wallet fit for use: an IBAN that the customer proves by a transfer, a signed contract, a mandate.",
    operations: [
      ...["getOnboarding", "updateWalletIban", "getSctInstructions", "deleteWalletIban"],
      ...["getWalletContractTemplate", "getWalletContractFilled", "signWalletContract"],
      "getWalletContractSigned",
    ],
  },
  {
    name: "Mandates",
    description: "SEDA mandates, by which a customer's or a store's account is debited.",
    operations: [
      ...["initialiseWalletMandate", "fillWalletMandate", "signWalletMandate", "getWalletMandate"],
      ...["getWalletMandatePdf", "updateNextDepositDate", "disableWalletMandate"],
      ...["listMandates", "getMandate"],
    ],
  },
  {
    name: "Stores",
    description: "The dealers' stores, where customers pay, deposit and withdraw.",
    operations: [
      ...["createStore", "listStores", "getStore", "getStoreByCode", "searchStores", "updateStore"],
      ...["deleteStore", "putStoreMandate", "getCurrentStoreMandate", "disableStoreMandate"],
      ...["createStoreMandate", "listStoreMandates", "getStoreMandate", "fillStoreMandate"],
      "deleteStoreMandate",
    ],
  },
  {
    name: "Payments",
    description: "A customer pays at a store: initialised, then confirmed, cancelled or expired.",
    operations: [...ofFamily("Payment"), "executeO2iPayment"],
  },
  {
    name: "Deposits",
    description: "Money into a wallet: cash at a store, loyalty and welfare funds.",
    operations: [
      ...ofFamily("CashDeposit"),
      ...ofFamily("LoyaltyDeposit"),
      ...ofFamily("WelfareDeposit"),
    ],
  },
  {
    name: "Withdrawals",
    description: "Money out of a wallet: cash at a store, a transfer to the customer's own IBAN.",
    operations: [...ofFamily("CashWithdrawal"), ...ofFamily("SctWithdrawal")],
  },
  {
    name: "Operations",
    description: "Every operation of a wallet, whatever its family, and what became of it.",
    operations: [
      ...["listOperations", "getOperation", "getOperationTimeline"],
      ...["confirmOperations", "cancelOperations"],
    ],
  },
  {
    name: "Groups",
    description: "Operations that are confirmed together, all or none.",
    operations: [
      ...["initialiseOperationGroup", "getPendingOperationGroup", "getOperationGroup"],
      ...["listOperationGroups", "confirmOperationGroup", "cancelOperationGroup"],
      "terminateOperationGroup",
    ],
  },
  {
    name: "Accounting",
    description: "The books: what the bank reported, whether all balances, who changed what.",
    operations: [
      ...["listBankNotifications", "approveBankNotification", "rejectBankNotification"],
      ...["listBankStatements", "getBankStatement", "getProof", "getAudit"],
    ],
  },
  {
    name: "Settlement",
    description: "How stores and the bank are settled with, and runs that somebody asks for now.",
    operations: [
      ...["listHarvestings", "countHarvestings", "listPendingReconciliations"],
      ...["triggerHarvestings", "triggerAccountingOperations", "triggerStoresCompensation"],
      ...["triggerStoreMandates", "triggerBankNotifications", "triggerMandateDepositRequest"],
      "getFlowRun",
    ],
  },
  {
    name: "Statistics",
    description: "Figures over wallets, operations and stores.",
    operations: [
      ...["getPartnerWalletsStatistics", "getDealerWalletsStatistics", "getOperationsOverview"],
      ...["countStoreOperations", "totalStoreOperations"],
    ],
  },
  {
    name: "Events",
    description: "The log of the events that the partner was told, and how to be told anew.",
    operations: ["listEvents", "replayEvent", "replayEvents", "getDiagnosticsInfo"],
  },
  {
    name: "Forced events",
    description: "Outside production: publish an event of your own making on your topic.",
    operations: [],
  },
];

const card: readonly Heading[] = [
  {
    name: "Accounts",
    description: "The card processor's accounts and their addresses; their cards hang on them.",
    operations: [
      ...["searchAccounts", "getAccount", "updateAccount", "lockAccount", "unlockAccount"],
      ...["blockAccount", "deleteAccount", "getAccountHistory", "getAddress", "updateAddress"],
    ],
  },
  {
    name: "Cards",
    description: "A customer's cards: created, locked, unlocked, blocked, deleted.",
    operations: [
      ...["createCard", "listCards", "getCard", "updateCard", "lockCard", "unlockCard"],
      ...["blockCard", "deleteCard", "getCardHistory"],
    ],
  },
  {
    name: "Limits and PINs",
    description: "What a card may be used for at most, and its PIN.",
    operations: ["setCardLimits", "getPinKey", "changePin"],
  },
  {
    name: "Transactions",
    description: "What a card was used for.",
    operations: ["listCardTransactions", "countCardTransactions"],
  },
  {
    name: "Authorisations",
    description: "What the card network asks (O2I), and simulations of it for tests.",
    operations: [
      ...["pushO2iRequest", "pushO2iAdvice", "pushO2iInquiry", "pushO2iReversal"],
      ...["simulateO2iRequest", "simulateO2iReversal"],
    ],
  },
  {
    name: "3-D Secure",
    description: "The risk of a purchase, and the challenge on the card holder's device.",
    operations: [
      ...["assessRisk", "listDevices", "raiseChallenge", "pushResult"],
      "triggerThreeDsCleanup",
    ],
  },
  {
    name: "Clearing",
    description: "Each day's presentments and fees: sums, files and their shapes.",
    operations: [
      ...["listClearingBookmarks", "listOutgoingClearings", "getClearingFile"],
      ...["listIncomingClearings", "triggerClearing", "triggerClearingExport"],
      ...["deleteOutgoingClearing", "deleteIncomingClearing"],
      ...["getClearingHeaderStructure", "getClearingRecordStructure"],
      ...["getFeeHeaderStructure", "getFeeRecordStructure"],
    ],
  },
];

const ticketing: readonly Heading[] = [
  {
    name: "Tickets",
    description: "Requests for help: created, read, cancelled, closed.",
    operations: [
      ...["createTicket", "getTicket", "getPartnerTickets", "getTicketsByWalletID"],
      ...["getTicketTimeline", "updateTicketStatusPath", "updateTicketStatusBody"],
    ],
  },
  {
    name: "Comments and attachments",
    description: "What partner and operators say to each other about a ticket, and files.",
    operations: ["postComment", "postAttachment", "getTicketAttachments", "getAttachment"],
  },
  {
    name: "Operators",
    description: "For the platform's own operators: the queue and the work on its tickets.",
    operations: [
      ...["getTicketQueue", "getOperatorTicket", "takeTicketInCharge", "askTicketCustomer"],
      ...["resumeTicket", "resolveTicket", "rejectTicket", "postOperatorComment"],
    ],
  },
];

const sandbox: readonly Heading[] = [
  {
    name: "Identity",
    description: "Tokens for the sandbox's partners, as an OpenID provider gives them.",
    operations: [
      ...["issueToken", "getSigningKeys", "getOpenIdConfiguration"],
      "getEntraOpenIdConfiguration",
    ],
  },
  {
    name: "Bank",
    description: "The scripted bank: credits that arrive, and how it answers what it is asked.",
    operations: ["sendBankNotification", "scriptBank", "decidePayment"],
  },
  {
    name: "Clock",
    description: "Platform time, moved forward: what would take a month happens now.",
    operations: ["moveClock"],
  },
  {
    name: "Customers",
    description: "What a customer does outside the partner's reach.",
    operations: ["declineContract"],
  },
  {
    name: "Card processor",
    description: "The card processor and the card network, played by calls.",
    operations: [
      ...["openCardAccount", "presentCardTransaction", "chargeCardFee", "makePinToken"],
      ...["setDevices", "setO2iTarget"],
    ],
  },
];

const headings: Readonly<Record<DocumentedApi, readonly Heading[]>> = {
  wallet,
  card,
  ticketing,
  sandbox,
};

/** Of which there is one for each event. */
const forcedEvents = /^force[A-Z]/;

/** Of routes that no heading names, as tests make them. */
const other: Heading = { name: "Other", description: "What stands nowhere else.", operations: [] };

const headingOf = (api: DocumentedApi, routeId: string): Heading =>
  headings[api].find(({ operations }) => operations.includes(routeId)) ??
  headings[api].find(({ name }) => name === "Forced events" && forcedEvents.test(routeId)) ??
  other;

export interface Placed<Item> {
  readonly heading: Heading;
  readonly item: Item;
}

/** The items in reading order, each with its heading. */
export const inReadingOrder = <Item extends { readonly id: string }>(
  api: DocumentedApi,
  items: readonly Item[],
): readonly Placed<Item>[] => {
  const place = new Map(
    headings[api].flatMap(({ operations }) => operations).map((id, index) => [id, index]),
  );
  return items
    .map((item) => ({ heading: headingOf(api, item.id), item }))
    .sort((one, next) => (place.get(one.item.id) ?? 1_000) - (place.get(next.item.id) ?? 1_000));
};

/** The headings that have an operation in this document, as its tags. */
export const tagsOf = (placed: readonly Placed<unknown>[]): Readonly<Record<string, string>>[] =>
  [...new Set(placed.map(({ heading }) => heading))].map(({ name, description }) => ({
    name,
    description,
  }));
