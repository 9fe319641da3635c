/** The event of what the bank has received and nobody is credited with (contract 4.4, 4.7). */
import { BankNotification } from "../accounting/bank-notifications.js";
import { businessEvent, type BusinessEvent } from "./event.js";
import { bankNotificationId, collectionIban, iban, moments, partnerKey } from "./story.js";

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
    type: "IncomingSctStandard",
    status: "Received",
    feedback: "Code: no wallet has a code that the reason names",
    attempts: 0,
    creationDate: moments.ibanValidated,
    receptionDate: moments.ibanValidated,
    acceptanceDate: null,
    lastUpdateDate: moments.ibanValidated,
    creditorName: "Acme",
    creditorIban: collectionIban,
    debtorName: "ROSSI MARIO",
    debtorIban: iban,
    amount: 25,
    reason: "Top-up",
    transactionReference: "TRN-20260303-0007",
    reconciliationCode: null,
    reconciliationType: "None",
    paymentGatewayReference: "GW-20260303-0007",
    walletId: null,
    storeId: null,
    operationId: null,
    metadata: null,
    consumedAmount: 0,
    consumableAmount: 25,
    incomingPaymentId: null,
  },
});

export const accountingEvents: readonly BusinessEvent[] = [bankNotificationReceived];
