/** What a peer has begun and attached: refuses what exceeds the bounds, drops what comes too late. */
import { BrokerError, conditions } from "../errors.js";
import type { Connection, Session } from "../wire/rhea.js";

/** Announced to peers for each session. */
export const handleMax = 1023;

export interface ChannelBounds {
  readonly sessionsMax: number;
  /** Of all sessions together. */
  readonly linksMax: number;
}

const tooMany = (what: string, max: number): BrokerError =>
  new BrokerError(
    conditions.resourceLimitExceeded,
    `The connection has more than ${max} ${what} open.`,
  );

/** The handles of a session; null when the client has ended it. */
type Channel = Set<number> | null;

/** Deliveries that are there at all: a range may name billions that are not. */
const clampRange = (
  range: { first: number; last?: number | null },
  { deliveries }: Session["incoming"],
): boolean => {
  const head = deliveries.get_head();
  if (head === undefined) return false;
  const first = Math.max(range.first, head.id);
  const last = Math.min(range.last ?? range.first, head.id + deliveries.size - 1);
  if (first > last) return false;
  range.first = first;
  range.last = last;
  return true;
};

/**
 * Watches the sessions and links of a connection; `bounds` is asked anew each time, since a client
 * that has proved itself may have more. What is refused is thrown, and ends the connection.
 *
 * A client may end a session while a detach of ours is on its way; some answer that detach although
 * they have ended. The session is gone here by then, and the library takes such a frame for a
 * violation and closes the connection, with all the other sessions on it. Nothing is left that the
 * frame could change, so it is passed over until the client begins a session on the channel again.
 */
export const watchChannels = (connection: Connection, bounds: () => ChannelBounds): void => {
  const channels = new Map<number, Channel>();
  let [sessions, links] = [0, 0];
  const isLate = (channel: number): boolean => channels.get(channel) === null;

  const onBegin = connection.on_begin.bind(connection);
  connection.on_begin = (frame) => {
    const { channel } = frame;
    if (channels.get(channel) instanceof Set)
      throw new BrokerError(conditions.illegalState, `Channel ${channel} has a session already.`);
    const { sessionsMax } = bounds();
    if (sessions >= sessionsMax) throw tooMany("sessions", sessionsMax);
    sessions += 1;
    channels.set(channel, new Set());
    onBegin(frame);
  };
  const onEnd = connection.on_end.bind(connection);
  connection.on_end = (frame) => {
    if (isLate(frame.channel)) return;
    onEnd(frame);
    sessions -= 1;
    links -= channels.get(frame.channel)?.size ?? 0;
    channels.set(frame.channel, null);
  };

  const onAttach = connection.on_attach.bind(connection);
  connection.on_attach = (frame) => {
    const { channel, performative } = frame;
    if (isLate(channel)) return;
    const { handle } = performative;
    if (handle > handleMax)
      throw new BrokerError(conditions.framingError, `Handle ${handle} was not announced.`);
    const handles = channels.get(channel);
    if (handles?.has(handle) === true)
      throw new BrokerError(conditions.handleInUse, `Handle ${handle} has a link already.`);
    const { linksMax } = bounds();
    if (links >= linksMax) throw tooMany("links", linksMax);
    links += 1;
    handles?.add(handle);
    onAttach(frame);
  };
  const onDetach = connection.on_detach.bind(connection);
  connection.on_detach = (frame) => {
    if (isLate(frame.channel)) return;
    onDetach(frame);
    if (channels.get(frame.channel)?.delete(frame.performative.handle) === true) links -= 1;
  };

  const onFlow = connection.on_flow.bind(connection);
  connection.on_flow = (frame) => {
    if (!isLate(frame.channel)) onFlow(frame);
  };
  const onTransfer = connection.on_transfer.bind(connection);
  connection.on_transfer = (frame) => {
    if (!isLate(frame.channel)) onTransfer(frame);
  };
  const onDisposition = connection.on_disposition.bind(connection);
  connection.on_disposition = (frame) => {
    if (isLate(frame.channel)) return;
    const { performative, channel } = frame;
    const session = connection.remote_channel_map[channel];
    const deliveries = performative.role ? session?.outgoing : session?.incoming;
    if (deliveries === undefined || clampRange(performative, deliveries)) onDisposition(frame);
  };
};
