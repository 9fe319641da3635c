/** A message as it goes out to a receiver. */
import { stateCodes, type StoredMessage } from "../storage/stored-message.js";
import { encodeAnnotations, encodeHeader, withoutBody } from "../wire/sections.js";
import { types, type Typed } from "../wire/rhea.js";

/** The header's field is 32 bits wide; a longer life cannot be told. */
const longestTimeToLiveMs = 0xffff_ffff;

/** What a scheduled message shows of itself, also when it has become active; deferred wins. */
const shownState = ({ state, scheduledForMs }: StoredMessage): number =>
  scheduledForMs === null || state === "deferred" ? stateCodes[state] : stateCodes.scheduled;

/** The bytes of one delivery: header and annotations are ours, the bare message is the sender's. */
export const encodeDelivery = (
  message: StoredMessage,
  lockedUntilMs: number | null,
  { omitsBody = false } = {},
): Buffer => {
  const { timeToLiveMs } = message;
  const own = new Map<string, Typed>([
    ["x-opt-sequence-number", types.Long(message.sequenceNumber)],
    ["x-opt-enqueue-sequence-number", types.Long(message.enqueuedSequenceNumber)],
    ["x-opt-enqueued-time", types.Timestamp(message.enqueuedAtMs)],
    ["x-opt-message-state", types.wrap_int(shownState(message))],
  ]);
  if (lockedUntilMs !== null) own.set("x-opt-locked-until", types.Timestamp(lockedUntilMs));
  return Buffer.concat([
    encodeHeader({
      durable: message.durable,
      priority: message.priority,
      timeToLiveMs:
        timeToLiveMs !== null && timeToLiveMs <= longestTimeToLiveMs ? timeToLiveMs : null,
      deliveryCount: message.deliveryCount,
    }),
    encodeAnnotations(message.annotations, own),
    omitsBody ? withoutBody(message.bare) : message.bare,
  ]);
};
