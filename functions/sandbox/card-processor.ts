/** The sandbox's card processor: opens accounts, issues cards, and says what it is told to say. */
import { randomUUID } from "node:crypto";
import { makeCard } from "../../shared/card-processor/sandbox-card.js";
import {
  CardProcessorCommand,
  cardQueues,
  IssueCommand,
  type AccountOpened,
  type CardIssued,
  type Fee,
  type Presentment,
} from "../../shared/contracts/card/processor-messages.js";
import {
  chargeFeeRoute,
  makePinTokenRoute,
  openCardAccountRoute,
  presentRoute,
} from "../../shared/contracts/sandbox/card-processor.js";
import { whyNoCard, type CardRefusal } from "../../shared/database/access/card-access.js";
import type { Reader } from "../../shared/database/access/wallet-access.js";
import { makePinToken } from "../../shared/database/card/pins.js";
import { platformNow } from "../../shared/database/platform/platform-time.js";
import { refusal, type Refusal } from "../../shared/domain/outcome.js";
import { sendNow } from "../../shared/events/service-bus.js";
import { registerQueueTrigger } from "../broker/queue-trigger.js";
import { unreadable } from "../broker/unreadable.js";
import { endpoint } from "../kit/endpoint.js";
import type { Services } from "../kit/services.js";

type Said = AccountOpened | CardIssued | Presentment | Fee;

const say = async ({ bus }: Pick<Services, "bus">, event: Said): Promise<void> =>
  sendNow(bus, cardQueues.events, [
    { messageId: event.eventId, subject: "CardProcessorEvent", body: JSON.stringify(event) },
  ]);

/** Cards are issued at once; everything else that it is told, it simply does. */
export const registerSandboxCardProcessor = (services: Services): void => {
  if (!services.config.card.hasSandboxProcessor) return;
  registerQueueTrigger(services, {
    name: "sandboxCardProcessor",
    queue: cardQueues.commands,
    message: CardProcessorCommand,
    handle: async ({ bus }, command) => {
      if (command.kind !== "issue") return undefined;
      const issue = IssueCommand.safeParse(command);
      if (!issue.success) return unreadable(issue.error);
      const { commandId, cardId, requestedAt } = issue.data;
      const made = makeCard(commandId, requestedAt);
      await say({ bus }, { eventId: `${commandId}-issued`, kind: "cardIssued", cardId, ...made });
      return undefined;
    },
  });
};

const openAccount = endpoint(openCardAccountRoute, async (services, { body, caller, ok }) => {
  const [messageId, accountId, addressId] = [randomUUID(), randomUUID(), randomUUID()];
  await say(services, {
    ...{ eventId: messageId, kind: "accountOpened", affiliate: caller.partnerKey },
    ...{ accountId, addressId },
    ...body,
  });
  return ok({ messageId, accountId, addressId });
});

/** Accounts are kept in euro, and the processor bills in them. */
const whyNotBilled = async (
  { database }: Pick<Services, "database">,
  caller: Reader,
  { cardId, currency }: Pick<Fee, "cardId" | "currency">,
): Promise<Refusal<CardRefusal | "CurrencyNotSupported"> | undefined> => {
  const refused = await whyNoCard(database, caller, cardId);
  if (refused !== undefined) return refused;
  return currency === "EUR" ? undefined : refusal("CurrencyNotSupported", { currency });
};

const present = endpoint(presentRoute, async (services, { body, caller, ok, refuse }) => {
  const refused = await whyNotBilled(services, caller, body);
  if (refused !== undefined) return refuse(refused);
  const messageId = randomUUID();
  await say(services, {
    ...{ eventId: messageId, kind: "presentment", presentmentId: messageId },
    ...{ transactionDate: await platformNow(services.database), ...body },
  });
  return ok({ messageId });
});

const charge = endpoint(chargeFeeRoute, async (services, { body, caller, ok, refuse }) => {
  const refused = await whyNotBilled(services, caller, body);
  if (refused !== undefined) return refuse(refused);
  const messageId = randomUUID();
  await say(services, { eventId: messageId, kind: "fee", feeId: messageId, ...body });
  return ok({ messageId });
});

const makeToken = endpoint(
  makePinTokenRoute,
  async ({ database }, { body, caller, ok, refuse }) => {
    const made = await makePinToken(database, caller, body.cardId);
    return made.ok ? ok({ token: made.value }) : refuse(made);
  },
);

export const sandboxCardEndpoints = [openAccount, present, charge, makeToken] as const;
