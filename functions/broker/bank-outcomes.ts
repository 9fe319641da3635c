/** Takes the bank's outcomes: records each on its request, then tells the flow that waits for it. */
import * as df from "durable-functions";
import { bankQueues, BankOutcomeMessage } from "../../shared/contracts/platform/bank-messages.js";
import { recordOutcome } from "../../shared/database/bank/requests.js";
import { settleLateOutcome } from "../../shared/database/settlement/operations.js";
import { raise } from "../../shared/durable/flow-client.js";
import { flowEvent } from "../../shared/durable/flow.js";
import type { Services } from "../kit/services.js";
import { registerQueueTrigger } from "./queue-trigger.js";

export const registerBankOutcomes = (services: Services): void => {
  registerQueueTrigger(services, {
    name: "bankOutcomes",
    queue: bankQueues.outcomes,
    message: BankOutcomeMessage,
    extraInputs: [df.input.durableClient()],
    handle: async ({ database, logger }, message, context) => {
      const recorded = await recordOutcome(database, message);
      switch (recorded.result) {
        case "unknownRequest":
          return {
            reason: "RequestUnknown",
            description: `The platform made no request ${message.requestId}.`,
          };
        case "late":
          logger.info("An outcome came after a later one.", { ...message });
          return undefined;
        case "recorded": {
          const { instanceId, event } = recorded;
          const { requestId, outcome } = message;
          const known = await raise(
            df.getClient(context),
            instanceId,
            flowEvent(event, BankOutcomeMessage),
            message,
          );
          const movedMoney = outcome === "booked" || outcome === "returned";
          if (movedMoney && (await settleLateOutcome(database, requestId)))
            logger.error("The bank did what the platform had given up: a person should look.", {
              ...message,
            });
          // The outcome is recorded all the same: a flow that starts later reads it there.
          if (!known)
            logger.warn("No flow waits for an outcome.", { instanceId, requestId, outcome });
          return undefined;
        }
      }
    },
  });
};
