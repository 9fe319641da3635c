/** All events that reach a partner's topic; no other message does. */
import { accountingEvents } from "./accounting.js";
import { cardEvents } from "./cards.js";
import { clearingEvents } from "./clearings.js";
import type { BusinessEvent } from "./event.js";
import { groupEvents } from "./groups.js";
import { mandateEvents } from "./mandates.js";
import { onboardingEvents } from "./onboarding.js";
import { operationEvents } from "./operations.js";
import { storeEvents } from "./stores.js";
import { threeDsEvents } from "./threeds.js";
import { ticketEvents } from "./tickets.js";
import { transactionEvents } from "./transactions.js";
import { walletEvents } from "./wallets.js";

export const eventCatalogue: readonly BusinessEvent[] = [
  ...walletEvents,
  ...onboardingEvents,
  ...mandateEvents,
  ...operationEvents,
  ...groupEvents,
  ...transactionEvents,
  ...storeEvents,
  ...accountingEvents,
  ...ticketEvents,
  ...threeDsEvents,
  ...cardEvents,
  ...clearingEvents,
];

export const eventNames: readonly string[] = eventCatalogue.map(({ name }) => name);

const byName: ReadonlyMap<string, BusinessEvent> = new Map(
  eventCatalogue.map((event) => [event.name, event]),
);

/** Undefined: no event has this name. */
export const eventNamed = (name: string): BusinessEvent | undefined => byName.get(name);

export interface ForcibleEvent extends BusinessEvent {
  readonly forcedAs: string;
}

const isForcible = (event: BusinessEvent): event is ForcibleEvent => event.forcedAs !== null;

/** Those that a caller may force, outside production (wallet seed, 4.7). */
export const forcibleEvents: readonly ForcibleEvent[] = eventCatalogue.filter(isForcible);
