/** Sends messages in their order, and around those that are refused for their own sake: the others go on. */
import { blameFor, UnsendableMessageError } from "./send-failure.js";
import type { SendResult } from "./service-bus.js";

export interface Sendable {
  readonly sessionId: string;
  /** How often it was tried before. */
  readonly attempts: number;
  /** Whether this destination has refused it before. */
  readonly isSuspect?: boolean;
}

export interface Refused<Message> {
  readonly message: Message;
  readonly error: unknown;
}

/** What follows a refused message in its session was not tried, and neither was what follows a failure. */
export interface Outcome<Message> {
  /** Stored by the broker for sure. */
  readonly accepted: readonly Message[];
  readonly refused: readonly Refused<Message>[];
  /** Tried in vain, since their destination failed. */
  readonly tried: readonly Message[];
  /** Why the destination takes nothing at present. */
  readonly failure?: unknown;
}

/** A message is tried so often before it is given up on. */
export const attemptsMax = 8;

/** So many unclear failures in a row are the destination's. */
const unclearMax = 3;

interface Unsent<Message> extends Refused<Message> {
  readonly isCertain: boolean;
}

/**
 * Where the broker fails and it is not clear why, a message is refused if the destination takes another
 * one at the same time, or if it was refused before or tried often; else the destination fails.
 */
const judge = <Message extends Sendable>(
  accepted: readonly Message[],
  unsent: readonly Unsent<Message>[],
): Outcome<Message> => {
  const isRefused = ({ message, isCertain }: Unsent<Message>): boolean =>
    isCertain ||
    message.isSuspect === true ||
    accepted.length > 0 ||
    message.attempts + 1 >= attemptsMax;
  const unjudged = unsent.filter((one) => !isRefused(one));
  return {
    accepted,
    refused: unsent.filter(isRefused),
    tried: unjudged.map(({ message }) => message),
    ...(unjudged.length === 0 ? {} : { failure: unjudged[0]?.error }),
  };
};

/** As few calls of `send` as it takes: what is refused together is halved until one stands alone. */
export const sendAround = async <Message extends Sendable>(
  messages: readonly Message[],
  send: (piece: readonly Message[]) => Promise<SendResult>,
): Promise<Outcome<Message>> => {
  const accepted: Message[] = [];
  const unsent: Unsent<Message>[] = [];
  let left = messages;
  let pieceMax = messages.length;
  while (left.length > 0) {
    const piece = left.slice(0, pieceMax);
    const { acknowledged, failure } = await send(piece);
    accepted.push(...piece.slice(0, acknowledged));
    left = left.slice(acknowledged);
    if (failure === undefined) {
      pieceMax = Math.min(2 * pieceMax, messages.length);
      continue;
    }
    const failed = piece.slice(acknowledged);
    const [first] = failed;
    const blame = blameFor(failure);
    if (first === undefined || blame === "broker" || blame === "destination") {
      const { refused, tried } = judge(accepted, unsent);
      return { accepted, refused, tried: [...tried, ...failed], failure };
    }
    if (failed.length > 1 && !(failure instanceof UnsendableMessageError)) {
      pieceMax = Math.ceil(failed.length / 2);
      continue;
    }
    unsent.push({ message: first, error: failure, isCertain: blame === "message" });
    left = left.slice(1).filter(({ sessionId }) => sessionId !== first.sessionId);
    const unclear = unsent.filter(({ isCertain }) => !isCertain);
    if (accepted.length === 0 && unclear.length >= unclearMax) break;
  }
  return judge(accepted, unsent);
};
