/** Tries messages anew that a destination has refused, when their time has come: each alone. */
import { claimHeld, nextHeldAttemptInMs } from "../database/outbox/held.js";
import { numberMessages } from "../database/outbox/sequences.js";
import type { Database } from "../database/platform/database.js";
import type { Logger } from "../platform/logger.js";
import { deliver, recordDelivered } from "./delivery.js";
import type { Destinations } from "./destinations.js";
import { inRounds } from "./rounds.js";

export interface HeldRetries {
  /** Looks for what is due, now and at every later time that it finds. */
  look(): void;
  /** Settles when no look is under way. */
  settled(): Promise<void>;
  close(): void;
}

interface Dependencies {
  readonly database: Database;
  readonly destinations: Destinations;
  readonly logger: Logger;
  /** A message has arrived, or was given up on: what waited behind it can follow. */
  readonly onRelease: () => void;
}

/** Their sessions are locked meanwhile. */
const messagesPerLook = 20;
/** Where the database cannot be asked, or a round has the session of what is due. */
const lookAgainMs = 500;

export const heldRetries = ({
  database,
  destinations,
  logger,
  onRelease,
}: Dependencies): HeldRetries => {
  /** How many were due. */
  const retryDue = (): Promise<number> =>
    database.session(async (session) => {
      const due = await claimHeld(session, destinations.health.failing(), messagesPerLook);
      const sequences = await numberMessages(session, due);
      for (const message of due) {
        const { destination } = message;
        if (looks.isClosed() || destinations.health.failing().includes(destination)) continue;
        const suspect = { ...message, isSuspect: true };
        const delivered = await deliver(destinations, destination, [suspect], sequences);
        await recordDelivered(session, logger, [message], [delivered]);
      }
      return due.length;
    });

  const lookNow = async (): Promise<void> => {
    try {
      let due = messagesPerLook;
      while (!looks.isClosed() && due === messagesPerLook) {
        due = await retryDue();
        // Their sessions were the look's own until now.
        if (due > 0) onRelease();
      }
      const inMs = await nextHeldAttemptInMs(database, destinations.health.failing());
      if (inMs !== null) looks.askIn(Math.max(inMs, lookAgainMs));
    } catch (error) {
      logger.warn("held messages cannot be tried; trying again soon", { error });
      looks.askIn(lookAgainMs);
    }
  };

  const looks = inRounds(lookNow);
  return { look: looks.ask, settled: looks.settled, close: looks.close };
};
