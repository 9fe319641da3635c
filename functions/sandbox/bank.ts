/** The sandbox bank: answers requests by script, and lets credits arrive when it is told to. */
import { randomUUID } from "node:crypto";
import {
  bankQueues,
  BankRequestMessage,
  type BankNotificationMessage,
  type BankOutcomeMessage,
} from "../../shared/contracts/platform/bank-messages.js";
import { sendBankNotificationRoute } from "../../shared/contracts/sandbox/bank.js";
import { platformNow } from "../../shared/database/platform/platform-time.js";
import { outcomesOf } from "../../shared/domain/bank/sandbox-script.js";
import { sendNow, type OutgoingMessage } from "../../shared/events/service-bus.js";
import { registerQueueTrigger } from "../broker/queue-trigger.js";
import { endpoint } from "../kit/endpoint.js";
import type { Services } from "../kit/services.js";

const answersTo = (request: BankRequestMessage, today: string): OutgoingMessage[] =>
  outcomesOf(request).map((outcome) => {
    const body: BankOutcomeMessage = {
      requestId: request.requestId,
      outcome,
      reasonCode: outcome === "refused" ? "MS03" : null,
      transactionReference: `SB-${request.requestId}`,
      bookingDate: outcome === "booked" ? today : null,
    };
    return {
      messageId: `${request.requestId}-${outcome}`,
      subject: "BankOutcome",
      body: JSON.stringify(body),
    };
  });

export const registerSandboxBank = (services: Services): void => {
  if (services.config.environment === "production") return;
  registerQueueTrigger(services, {
    name: "sandboxBank",
    queue: bankQueues.requests,
    message: BankRequestMessage,
    handle: async ({ bus, database }, request) => {
      const today = (await platformNow(database)).slice(0, "YYYY-MM-DD".length);
      await sendNow(bus, bankQueues.outcomes, answersTo(request, today));
      return undefined;
    },
  });
};

export const sendBankNotification = endpoint(
  sendBankNotificationRoute,
  async ({ bus, database }, { body, ok }) => {
    const messageId = randomUUID();
    const notification: BankNotificationMessage = {
      ...body,
      transactionReference: messageId,
      paymentGatewayReference: null,
      creditorName: null,
      receptionDate: await platformNow(database),
    };
    await sendNow(bus, bankQueues.notifications, [
      { messageId, subject: "BankNotification", body: JSON.stringify(notification) },
    ]);
    return ok({ messageId });
  },
);
