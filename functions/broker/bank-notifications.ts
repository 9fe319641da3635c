/** Takes the bank's notifications of incoming credits: stores each once, books it, credits what fits. */
import {
  bankQueues,
  BankNotificationMessage,
} from "../../shared/contracts/platform/bank-messages.js";
import { failNotification, receiveNotification } from "../../shared/database/bank/notifications.js";
import { termsOf } from "../../shared/database/settlement/terms.js";
import type { Services } from "../kit/services.js";
import { registerQueueTrigger } from "./queue-trigger.js";

export const registerBankNotifications = (services: Services): void => {
  registerQueueTrigger(services, {
    name: "bankNotifications",
    queue: bankQueues.notifications,
    message: BankNotificationMessage,
    handle: async ({ database, logger, config }, message) => {
      const collectionAccount = config.wallet.collectionAccount?.iban ?? null;
      const received = await receiveNotification(database, message, collectionAccount);
      if (received.result === "referenceReused")
        return {
          reason: "ReferenceReused",
          description: `Another transfer has the gateway reference ${message.paymentGatewayReference ?? ""}.`,
        };
      if (received.result === "repeated") return undefined;
      if (received.error !== null) {
        logger.error("A bank notification could not be processed.", { ...received });
        const { bankNotificationId, partnerKey } = received;
        const environment = { silenceSeconds: config.bankSilenceSeconds, collectionAccount };
        if (partnerKey !== null)
          await failNotification(
            database,
            bankNotificationId,
            await termsOf(database, partnerKey, environment),
          );
      } else if (received.status === "Received" && received.feedback !== null)
        logger.info("A bank notification waits for a person.", { ...received });
      return undefined;
    },
  });
};
