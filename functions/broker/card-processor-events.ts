/** Takes what the card processor says: each event once by its own id, whatever message it comes in. */
import { z } from "zod";
import {
  AccountOpened,
  cardQueues,
  CardIssued,
  eventId,
  Fee,
  Presentment,
} from "../../shared/contracts/card/processor-messages.js";
import { O2iRequest } from "../../shared/contracts/authorisations/o2i.js";
import { issueCard, openCardAccount } from "../../shared/database/card/processor-events.js";
import { receiveFee, receivePresentment } from "../../shared/database/clearing/receiving.js";
import type { DeadLetterReason } from "../../shared/events/service-bus.js";
import { receiveAuthorisation } from "../authorisations/receive-authorisation.js";
import type { Services } from "../kit/services.js";
import { hashOf, once } from "./once.js";
import { registerQueueTrigger } from "./queue-trigger.js";

/** Body 2.7, flat beside id and kind; what we do not know of it is the processor's business. */
const Authorisation = z.object({
  ...O2iRequest.shape,
  ...eventId,
  kind: z.literal("authorisation"),
});

const CardProcessorEvent = z.discriminatedUnion("kind", [
  AccountOpened,
  CardIssued,
  Authorisation,
  Presentment,
  Fee,
]);
type CardProcessorEvent = z.infer<typeof CardProcessorEvent>;

type Handled = Promise<DeadLetterReason | undefined>;

const openAccount = async ({ database }: Services, event: AccountOpened): Handled => {
  const { accountId, addressId, affiliate } = event;
  const opened = await openCardAccount(database, event);
  switch (opened) {
    case "opened":
    case "repeated":
      return undefined;
    case "affiliateUnknown":
      return { reason: "AffiliateUnknown", description: `There is no affiliate ${affiliate}.` };
    case "accountReused":
      return {
        reason: "AccountReused",
        description: `Another account has the identifier ${accountId}.`,
      };
    case "addressReused":
      return {
        reason: "AddressReused",
        description: `Another account has the address ${addressId}.`,
      };
  }
};

// None of these sentences repeats a token.
const issue = async ({ database }: Services, event: CardIssued): Handled => {
  const { cardId } = event;
  switch (await issueCard(database, event)) {
    case "issued":
    case "repeated":
      return undefined;
    case "cardUnknown":
      return { reason: "CardUnknown", description: `There is no card ${cardId}.` };
    case "alreadyIssued":
      return {
        reason: "CardAlreadyIssued",
        description: `The card ${cardId} was issued with another token, number or expiry date.`,
      };
    case "tokenReused":
      return {
        reason: "CardTokenReused",
        description: `Another card than ${cardId} has the token that came for it.`,
      };
  }
};

const handle = (services: Services, event: CardProcessorEvent): Handled => {
  switch (event.kind) {
    case "accountOpened":
      return openAccount(services, event);
    case "cardIssued":
      return issue(services, event);
    case "authorisation":
      return receiveAuthorisation(services, O2iRequest.strip().parse(event));
    case "presentment":
      return receivePresentment(services.database, event);
    case "fee":
      return receiveFee(services.database, event);
  }
};

/** Beside the messages' own ids, which differ where the processor says the same thing in another message. */
const entity = `${cardQueues.events}/events`;

const eventIdReused = (eventId: string): DeadLetterReason => ({
  reason: "EventIdReused",
  description: `An event with the id ${eventId} and other content was handled before.`,
});

export const registerCardProcessorEvents = (services: Services): void => {
  registerQueueTrigger(services, {
    name: "cardProcessorEvents",
    queue: cardQueues.events,
    message: CardProcessorEvent,
    handle: (_, event) => {
      const entry = { entity, messageId: event.eventId, bodyHash: hashOf(event) };
      return once(services, entry, eventIdReused(event.eventId), () => handle(services, event));
    },
  });
};
