/** A business event's attributes by CloudEvents 1.0: application properties, as its AMQP binding maps them. */

export interface EventIdentity {
  /** The event's own: a replay has it, too, whatever the message's id is. */
  readonly id: string;
  readonly name: string;
  readonly partnerKey: string;
}

/**
 * Source: CloudEvents AMQP protocol binding 1.0.2, 3.1.3 (binary mode). The body is the `data` as it is, the
 * message's content type its `datacontenttype`. No two events have source and id in common: a partner's
 * events have ids of their own.
 */
export const cloudEventProperties = ({ id, name, partnerKey }: EventIdentity) => ({
  "cloudEvents:specversion": "1.0",
  "cloudEvents:id": id,
  "cloudEvents:source": `/partners/${encodeURIComponent(partnerKey)}`,
  "cloudEvents:type": name,
});
