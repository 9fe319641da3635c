/** Sends parts of partners' logs anew, beside the relay: in order, page by page, from where it last stopped. */
import { setTimeout as delay } from "node:timers/promises";
import {
  recordReplayed,
  replayPage,
  takeReplay,
  type Replay,
  type ReplayedMessage,
} from "../database/outbox/replays.js";
import type { Queryable } from "../database/platform/database.js";
import {
  databaseRetryMs,
  messagesAtOnce,
  type BackgroundSender,
  type SenderDependencies,
} from "./background-sender.js";
import { DestinationHealth } from "./destination-health.js";
import { openDestinations } from "./destinations.js";
import { toOutgoing } from "./outgoing-message.js";
import { inRounds } from "./rounds.js";
import { attemptsMax } from "./send-around.js";
import { blameFor } from "./send-failure.js";
import type { OutgoingMessage } from "./service-bus.js";

/** Of what a topic that failed lately is tried with. */
const messagesPerProbe = 1;
/** Part of the time that pages take in which what has just been committed has the broker to itself. */
const restPart = 0.25;

/** Under an id of its own, so that the broker does not take it for the message that it has had. */
const toReplayed = (message: ReplayedMessage, { number }: Replay): OutgoingMessage => ({
  ...toOutgoing({ ...message, attempts: 0 }, message.sequence),
  messageId: `${message.messageId}#${number}`,
});

/** Until the first that is still on its way to the topic: what it waits behind must not overtake it. */
const sendable = (page: readonly ReplayedMessage[]): readonly ReplayedMessage[] => {
  const waiting = page.findIndex(({ hasArrived, isHeld }) => !hasArrived && !isHeld);
  return waiting === -1 ? page : page.slice(0, waiting);
};

export const startEventReplayer = ({
  database,
  bus,
  faults,
  logger,
}: SenderDependencies): BackgroundSender => {
  const destinations = openDestinations({ bus, logger });
  const { health } = destinations;
  /** Partners whose next message is still on its way to their topic. */
  const waiting = new DestinationHealth(Date.now);
  /** How often the broker failed over a message, by its id, where that may have been due to nothing in it. */
  const doubts = new Map<string, number>();

  const isTriedOn = ({ messageId }: OutgoingMessage): boolean => {
    const failures = (doubts.get(messageId) ?? 0) + 1;
    if (failures < attemptsMax) doubts.set(messageId, failures);
    else doubts.delete(messageId);
    return failures < attemptsMax;
  };

  /** What of a page is done with: sent, or refused for its own sake. */
  const sendAll = async (
    replay: Replay,
    messages: readonly ReplayedMessage[],
  ): Promise<{
    readonly done: ReadonlySet<ReplayedMessage>;
    readonly sent: number;
    readonly isDoubtful: boolean;
  }> => {
    const done = new Set<ReplayedMessage>();
    let sent = 0;
    let left = messages;
    let isDoubtful = false;
    while (left.length > 0 && !isDoubtful) {
      const { accepted, refused, failure } = await destinations.send(
        replay.partnerKey,
        left,
        (message) => toReplayed(message, replay),
      );
      for (const message of accepted) {
        done.add(message);
        if (doubts.size > 0) doubts.delete(toReplayed(message, replay).messageId);
      }
      sent += accepted.length;
      for (const { message, error } of refused) {
        if (blameFor(error) !== "message" && isTriedOn(toReplayed(message, replay))) {
          isDoubtful = true;
          continue;
        }
        done.add(message);
        const { messageId } = message;
        logger.error("an event cannot be sent anew", { ...replayFields(replay), messageId, error });
      }
      if (failure !== undefined) break;
      left = left.filter((message) => !done.has(message));
    }
    return { done, sent, isDoubtful };
  };

  /** One page of one replay; false where there is none to be gone on with. */
  const turn = async (session: Queryable): Promise<boolean> => {
    const due = health.due();
    const avoided = [health, waiting].flatMap((one) => {
      const tried = one.due();
      return one.failing().filter((partner) => !tried.includes(partner));
    });
    const replay = await takeReplay(session, avoided);
    if (replay === undefined) return false;
    const limit = due.includes(replay.partnerKey) ? messagesPerProbe : messagesAtOnce;
    const page = await replayPage(session, replay, limit);
    const known = sendable(page.messages);
    // What is held comes by itself, or when somebody asks for it.
    const messages = known.filter(({ hasArrived }) => hasArrived);
    faults.hit("replay.beforeSend");
    const { done, sent, isDoubtful } = await sendAll(replay, messages);
    faults.hit("replay.afterSend");
    const firstLeft = known.findIndex((message) => message.hasArrived && !done.has(message));
    const passed = firstLeft === -1 ? known : known.slice(0, firstLeft);
    const isDone = passed.length === page.messages.length;
    const place = isDone ? page.through : (passed.at(-1)?.sequence ?? replay.place);
    const isOver = place === replay.through;
    await recordReplayed(session, replay, { place, sent, isOver });
    faults.hit("replay.afterMark");
    // Nobody but the relay can move what is still on its way: look again when it may have.
    if (isDoubtful || (!isDone && known.length === 0)) waiting.failed(replay.partnerKey);
    else waiting.succeeded(replay.partnerKey);
    if (isOver) logger.info("a replay has ended", replayFields(replay, sent));
    return true;
  };

  const drain = async (session: Queryable): Promise<void> => {
    for (let isMore = true; isMore && !rounds.isClosed();) {
      const beganAt = performance.now();
      isMore = await turn(session);
      if (isMore) await delay((performance.now() - beganAt) * restPart);
    }
  };

  const rounds = inRounds(async () => {
    try {
      await database.session(drain);
      const waits = [health.nextRetryInMs(), waiting.nextRetryInMs()];
      rounds.askIn(Math.min(...waits.filter((wait) => wait !== undefined)));
    } catch (error) {
      logger.warn("replays cannot go on; trying again soon", { error });
      rounds.askIn(databaseRetryMs);
    }
  });

  return {
    nudge: rounds.ask,
    async sweep() {
      rounds.ask();
      await rounds.settled();
    },
    async close() {
      rounds.close();
      await rounds.settled();
    },
  };
};

const replayFields = (
  { partnerKey, number, events, sent }: Replay,
  lately = 0,
): Readonly<Record<string, string | number>> => ({
  ...{ partnerKey, replay: number, events: Number(events), sent: Number(sent) + lately },
});
