/** Tells a peer how a delivery ended. */
import { asBrokerError, type BrokerError } from "../errors.js";
import { codec, type AmqpError, type Connection, type Delivery } from "../wire/rhea.js";

const accepted = codec.accepted().described();

export const amqpError = ({ condition, message }: BrokerError): AmqpError => ({
  condition,
  description: message,
});

/*
 * A peer that asked for the two-step settlement never sends the second step, so what we settled is
 * settled for both: otherwise the session's ring of deliveries fills up and delivery stops.
 */
const settleForBoth = (delivery: Delivery): void => {
  delivery.remote_settled = true;
};

export const settleAccepted = (delivery: Delivery): void => {
  delivery.update(true, accepted);
  settleForBoth(delivery);
};

/** For a delivery on a link that is not there any more. */
export const settleUnanswered = (delivery: Delivery): void => {
  delivery.settled = true;
  settleForBoth(delivery);
};

/*
 * Neighbouring deliveries settled in one turn are reported as one range without their outcomes being
 * compared: a refusal is written out by itself, or it would be taken for an acceptance.
 */
export const settleRejected = (
  delivery: Delivery,
  connection: Connection,
  error: unknown,
): void => {
  if (!connection.is_open()) return;
  connection._process();
  delivery.update(true, codec.rejected({ error: amqpError(asBrokerError(error)) }).described());
  connection._process();
  settleForBoth(delivery);
};
