/** Orders the relay's work: which messages go to which destination, and which destination first. */

export interface Routed {
  readonly destinations: readonly string[];
  readonly deliveredTo: readonly string[];
}

export interface Delivery<Message> {
  readonly destination: string;
  /** In outbox order. */
  readonly messages: readonly Message[];
}

const remaining = ({ destinations, deliveredTo }: Routed): readonly string[] =>
  destinations.filter((destination) => !deliveredTo.includes(destination));

/**
 * Stages to be run one after the other; the deliveries of one stage do not depend on each other.
 * A destination has one delivery with all its messages, so that their order holds there, in the
 * latest stage that any of its messages asks for: that keeps every message's own order too.
 */
export const planDeliveries = <Message extends Routed>(
  messages: readonly Message[],
  isLeft: (destination: string, message: Message) => boolean,
): Delivery<Message>[][] => {
  const stageOf = new Map<string, number>();
  const messagesTo = new Map<string, Message[]>();
  for (const message of messages) {
    for (const [position, destination] of remaining(message).entries()) {
      if (isLeft(destination, message)) continue;
      stageOf.set(destination, Math.max(stageOf.get(destination) ?? 0, position));
      const group = messagesTo.get(destination);
      if (group === undefined) messagesTo.set(destination, [message]);
      else group.push(message);
    }
  }
  const stages: Delivery<Message>[][] = [];
  for (const [destination, group] of messagesTo) {
    const stage = stageOf.get(destination) ?? 0;
    (stages[stage] ??= []).push({ destination, messages: group });
  }
  return stages.filter((stage) => stage.length > 0);
};
