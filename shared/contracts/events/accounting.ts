/** The event of what the bank has received and nobody is credited with (contract 4.4, 4.7). */
import { BankNotification } from "../accounting/bank-notifications.js";
import { businessEvent, type BusinessEvent } from "./event.js";
import {
  bankNotificationId,
  collectionIban,
  moments,
  partnerKey,
  strangersIban,
  transferId,
} from "../story/story.js";

const bankNotificationReceived = businessEvent({
  name: "BankNotificationReceived",
  forcedAs: null,
  payload: BankNotification.shape,
  session: ["walletId", "bankNotificationId"],
  entity: { name: "bank notification", id: "bankNotificationId" },
  summary: "A credit fits nothing and waits for a person",
  description:
    "Once, with its first `feedback`: the rule that failed, a colon, and what would fit.",
  example: {
    bankNotificationId,
    partnerKey,
    type: "IncomingSctInstant",
    status: "Received",
    feedback:
      "Code: the reason holds the code of no open IBAN validation, and the debtor's IBAN is not validated; the code of a wallet's instructions would fit",
    attempts: 0,
    creationDate: moments.transferDecided,
    receptionDate: moments.transferDecided,
    acceptanceDate: null,
    lastUpdateDate: moments.transferDecided,
    creditorName: null,
    creditorIban: collectionIban,
    debtorName: "Rosa Bianchi",
    debtorIban: strangersIban,
    amount: 30,
    reason: "Per il nipote",
    transactionReference: transferId,
    reconciliationCode: null,
    reconciliationType: "None",
    paymentGatewayReference: null,
    walletId: null,
    storeId: null,
    operationId: null,
    metadata: null,
    consumedAmount: 0,
    consumableAmount: 30,
    incomingPaymentId: null,
  },
});

export const accountingEvents: readonly BusinessEvent[] = [bankNotificationReceived];
