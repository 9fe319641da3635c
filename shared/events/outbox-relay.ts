/** Sends what commands left in the outbox: at least once, in order per wallet, soon after commit. */
import type { Queryable } from "../database/platform/database.js";
import { claimWaiting, type ClaimScope } from "../database/outbox/outbox.js";
import { numberMessages } from "../database/outbox/sequences.js";
import {
  databaseRetryMs,
  messagesAtOnce,
  type BackgroundSender,
  type SenderDependencies,
} from "./background-sender.js";
import { deliver, recordDelivered, type Delivered } from "./delivery.js";
import { planDeliveries } from "./delivery-plan.js";
import { openDestinations } from "./destinations.js";
import { heldRetries } from "./held-retries.js";
import { inRounds } from "./rounds.js";

/** What is committed while a round runs gathers so long: a message costs the less, the more go with it. */
const gatheringMs = 10;
/** What another relay had to leave, because this one held its wallet, is looked for so long after. */
const lookAgainMs = 50;

/** Of several wallets, so that one message which it refuses does not speak for it. */
const messagesPerProbe = 10;
/** So many failing destinations are tried at once. */
const probesMax = 2;

/** What one round found: nothing, all that waited, or perhaps only a part of it. */
type Round = "nothing" | "all" | "part";

export const startOutboxRelay = ({
  database,
  bus,
  faults,
  logger,
}: SenderDependencies): BackgroundSender => {
  const destinations = openDestinations({ bus, logger });
  const { health } = destinations;
  let lookAgain: NodeJS.Timeout | undefined;
  const probes = new Map<string, Promise<void>>();
  const held = heldRetries({ database, destinations, logger, onRelease: () => rounds.ask() });

  /** The session holds the wallets of what it claims until the attempts are recorded; no transaction does. */
  const send = async (
    session: Queryable,
    scope: ClaimScope,
    isLeft: (destination: string) => boolean,
  ): Promise<number> => {
    const messages = await claimWaiting(session, scope);
    if (messages.length === 0) return 0;
    const sequences = await numberMessages(session, messages);
    const delivered: Delivered[] = [];
    faults.hit("relay.beforeSend");
    const plan = planDeliveries(
      messages,
      (destination, { heldAt }) => isLeft(destination) || heldAt.includes(destination),
    );
    for (const stage of plan)
      delivered.push(
        ...(await Promise.all(
          stage.map(({ destination, messages: there }) =>
            deliver(destinations, destination, there, sequences),
          ),
        )),
      );
    faults.hit("relay.afterSend");
    await recordDelivered(session, logger, messages, delivered);
    if (delivered.some(({ refusals }) => refusals.length > 0)) held.look();
    return messages.length;
  };

  const round = async (session: Queryable): Promise<Round> => {
    const avoided = health.failing();
    const scope = { avoided, only: null, limit: messagesAtOnce };
    const sent = await send(session, scope, (destination) => avoided.includes(destination));
    if (sent === 0) return "nothing";
    return sent < messagesAtOnce ? "all" : "part";
  };

  /** Tries a failing destination with its oldest messages, while nobody waits for the answer. */
  const probe = async (destination: string): Promise<void> => {
    const scope = { avoided: [], only: destination, limit: messagesPerProbe };
    const isLeft = (other: string): boolean => other !== destination;
    try {
      const sent = await database.session((session) => send(session, scope, isLeft));
      if (sent === 0) health.untried(destination);
    } catch (error) {
      health.untried(destination);
      logger.warn("a destination cannot be tried; trying again soon", { destination, error });
    } finally {
      probes.delete(destination);
    }
    if (!health.failing().includes(destination)) rounds.ask();
    probeDue();
  };

  /** Each holds a connection while it waits for the broker: most of them are for calls. */
  const probeDue = (): void => {
    if (rounds.isClosed()) return;
    for (const destination of health.due())
      if (probes.size < probesMax && !probes.has(destination))
        probes.set(destination, probe(destination));
    const waitMs = health.nextRetryInMs();
    if (waitMs !== undefined) rounds.askIn(waitMs);
  };

  /** Until nothing is left, as far as this relay can tell: a last look would cost as much as a round. */
  const drain = async (): Promise<void> => {
    clearTimeout(lookAgain);
    try {
      let found: Round = "part";
      while (!rounds.isClosed() && found === "part") {
        found = await database.session(round);
        if (found !== "nothing") faults.hit("relay.afterMark");
      }
      if (found === "all" && !rounds.isClosed())
        lookAgain = setTimeout(rounds.ask, lookAgainMs).unref();
      probeDue();
    } catch (error) {
      logger.warn("the outbox cannot be read; trying again soon", { error });
      rounds.askIn(databaseRetryMs);
    }
  };

  const rounds = inRounds(drain, gatheringMs);

  /** What is under way, and the round that follows where a destination is back. */
  const settled = async (): Promise<void> => {
    await rounds.settled();
    await Promise.all([...probes.values(), held.settled()]);
    await rounds.settled();
  };

  return {
    nudge: rounds.ask,
    async sweep() {
      held.look();
      rounds.ask();
      await settled();
    },
    async close() {
      rounds.close();
      held.close();
      clearTimeout(lookAgain);
      await settled();
    },
  };
};
