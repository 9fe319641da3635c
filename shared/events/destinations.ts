/** Sends to the broker's entities and knows which of them take nothing at present; says so once in the log. */
import type { Logger } from "../platform/logger.js";
import { DestinationHealth } from "./destination-health.js";
import { attemptsMax, sendAround, type Outcome, type Sendable } from "./send-around.js";
import { blameFor } from "./send-failure.js";
import type { OutgoingMessage, ServiceBus } from "./service-bus.js";

export interface Destinations {
  readonly health: DestinationHealth;
  /** In order per session; never throws for what the broker or a message does. */
  send<Message extends Sendable>(
    destination: string,
    messages: readonly Message[],
    toOutgoing: (message: Message) => OutgoingMessage,
  ): Promise<Outcome<Message>>;
}

export const openDestinations = ({
  bus,
  logger,
}: {
  readonly bus: Pick<ServiceBus, "send">;
  readonly logger: Logger;
}): Destinations => {
  const health = new DestinationHealth(Date.now);

  const noteFailure = (destination: string, failure: unknown): void => {
    const failures = health.failed(destination);
    const fields = { destination, error: failure };
    if (failures === 1)
      logger.warn("destination takes no messages; they wait in the outbox", fields);
    // The broker comes back by itself; a topic that is missing or full needs somebody.
    if (failures === attemptsMax && blameFor(failure) === "destination")
      logger.error("destination still takes no messages; it is tried on", fields);
  };

  return {
    health,
    async send(destination, messages, toOutgoing) {
      const outcome = await sendAround(messages, (piece) =>
        bus.send(destination, piece.map(toOutgoing)),
      );
      if (outcome.failure !== undefined) noteFailure(destination, outcome.failure);
      else if (health.succeeded(destination)) logger.info("destination is back", { destination });
      return outcome;
    },
  };
};
