/** The bank by files (setting BANK_CHANNEL): requests become orders at once, a timer exchanges the files. */
import { app } from "@azure/functions";
import { z } from "zod";
import { openBankFolder, type BankFolder } from "../../shared/bank/files/folder.js";
import {
  bankQueues,
  BankRequestMessage,
  type BankOutcomeMessage,
} from "../../shared/contracts/platform/bank-messages.js";
import { keepOrder, requestFacts } from "../../shared/database/bank/orders.js";
import { platformNow } from "../../shared/database/platform/platform-time.js";
import { bankDayAfter, romeDate } from "../../shared/domain/bank/bank-days.js";
import { sendNow } from "../../shared/events/service-bus.js";
import { registerQueueTrigger } from "../broker/queue-trigger.js";
import type { Services } from "../kit/services.js";
import type { WalletConfig } from "../../shared/platform/settings/wallet-settings.js";
import { readIncomingFiles } from "./incoming-files.js";
import { writeOrderFiles } from "./order-files.js";
import { planOrder } from "./plan-order.js";

const Metadata = z.object({ messageId: z.string() });

/** The first day, from today on, on which banks work. */
const bankDayNow = async ({ database }: Pick<Services, "database">): Promise<string> =>
  bankDayAfter(romeDate(new Date(await platformNow(database))), 0);

/** What the bank is not asked, because there is nothing to ask or no way to write it. */
const answer = async (
  { bus }: Pick<Services, "bus">,
  requestId: string,
  outcomes: readonly Pick<BankOutcomeMessage, "outcome" | "reasonCode" | "bookingDate">[],
): Promise<void> => {
  await sendNow(
    bus,
    bankQueues.outcomes,
    outcomes.map((said) => ({
      messageId: `${requestId}-${said.outcome}`,
      subject: "BankOutcome",
      body: JSON.stringify({ requestId, transactionReference: null, ...said }),
    })),
  );
};

/** A request becomes an order once, however often the bank is asked for it. */
export const takeRequest = async (
  services: Pick<Services, "database" | "bus" | "logger"> & {
    readonly config: { readonly wallet: Pick<WalletConfig, "collectionAccount"> };
  },
  requestId: string,
) => {
  const { database, config, logger } = services;
  const facts = await requestFacts(database, requestId);
  if (facts === undefined)
    return {
      reason: "RequestUnknown",
      description: `The platform made no request ${requestId}.`,
    };
  // What the bank has answered, it was asked by another way, or before.
  if (facts.status !== "Requested") return undefined;
  const today = await bankDayNow(services);
  const planned = planOrder(facts, config.wallet.collectionAccount, today);
  switch (planned.is) {
    case "order":
      await keepOrder(database, planned.order);
      return undefined;
    case "nothingToMove":
      await answer(services, requestId, [
        { outcome: "accepted", reasonCode: null, bookingDate: null },
        { outcome: "booked", reasonCode: null, bookingDate: today },
      ]);
      return undefined;
    case "refused": {
      const { reasonCode, sentence } = planned;
      logger.error("A request to the bank cannot be written.", { requestId, reasonCode, sentence });
      await answer(services, requestId, [{ outcome: "refused", reasonCode, bookingDate: null }]);
      return undefined;
    }
  }
};

const exchangeFiles = async (services: Services, folder: BankFolder): Promise<void> => {
  await readIncomingFiles(services, folder);
  await writeOrderFiles(services, folder, await bankDayNow(services));
};

export const registerBankFiles = (services: Services): void => {
  const { bankFolder } = services.config;
  if (bankFolder === null) return;
  registerQueueTrigger(services, {
    name: "bankOrders",
    queue: bankQueues.requests,
    message: BankRequestMessage,
    handle: async ({ bus }, message, context) => {
      if (message.kind !== "mandateActivation" && message.kind !== "mandateRevocation")
        return takeRequest(services, message.requestId);
      const { messageId } = Metadata.parse(context.triggerMetadata);
      const body = JSON.stringify(message);
      await sendNow(bus, bankQueues.mandateRequests, [{ messageId, subject: "BankRequest", body }]);
      return undefined;
    },
  });
  app.timer("bankFiles", {
    schedule: "*/15 * * * * *",
    handler: async () => {
      await exchangeFiles(services, await openBankFolder(bankFolder));
    },
  });
};
