/** Takes the bank's notifications of incoming credits: stores each once, and lets its flow decide. */
import {
  bankQueues,
  BankNotificationMessage,
} from "../../shared/contracts/platform/bank-messages.js";
import { receiveNotification } from "../../shared/database/bank/notifications.js";
import type { Services } from "../kit/services.js";
import { registerQueueTrigger } from "./queue-trigger.js";

export const registerBankNotifications = (services: Services): void => {
  registerQueueTrigger(services, {
    name: "bankNotifications",
    queue: bankQueues.notifications,
    message: BankNotificationMessage,
    handle: async ({ database, logger, config }, message) => {
      const platformAccount = config.wallet.collectionAccount?.iban ?? null;
      const received = await receiveNotification(database, message, platformAccount);
      if (received.result === "referenceReused")
        return {
          reason: "ReferenceReused",
          description: `Another transfer has the gateway reference ${message.paymentGatewayReference ?? ""}.`,
        };
      if (received.result === "stored" && received.feedback !== null)
        logger.info("A bank notification waits for a person.", { ...received });
      return undefined;
    },
  });
};
