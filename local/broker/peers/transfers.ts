/** Takes messages in as the bytes that came: the library would decode those that it knows. */
import { BrokerError, conditions } from "../errors.js";
import type { IncomingLink, Session } from "../wire/rhea.js";
import { handleMax } from "./channels.js";

/** Any format that no client uses: the library decodes messages of format 0 and loses their bytes. */
const rawFormat = 0xffff_fff0;

/** The format of a message as the client named it. */
export const formatOf = (format: number): number => (format === rawFormat ? 0 : format);

/** Of links that announce no other size. */
const messageBytesMax = 64 * 1024;
const nothing = Buffer.alloc(0);

const checkCredit = (link: IncomingLink): void => {
  // A message that was under way when the link was closed is passed over.
  if (link.credit <= 0 && link._incomplete === undefined && link.is_open())
    throw new BrokerError(
      conditions.transferLimitExceeded,
      `More messages came on link '${link.name}' than it had credit for.`,
    );
};

/** `onWindow` is called when the client has room for more frames, whichever link they are for. */
export const watchTransfers = (session: Session, onWindow: () => void): void => {
  session.local.begin.handle_max = handleMax;
  const bytesOf = new WeakMap<IncomingLink, number>();
  const onFlow = session.on_flow.bind(session);
  session.on_flow = (frame) => {
    onFlow(frame);
    if (typeof frame.performative.handle !== "number") onWindow();
  };
  const onTransfer = session.on_transfer.bind(session);
  session.on_transfer = (frame) => {
    const { performative } = frame;
    const link = session.remote.handles[performative.handle];
    if (link?.is_receiver() !== true)
      throw new BrokerError(
        conditions.illegalState,
        `Handle ${performative.handle} takes no messages.`,
      );
    checkCredit(link);
    if (performative.aborted === true && link._incomplete !== undefined) {
      link._incomplete.settled = true;
      link._incomplete = undefined;
      return;
    }
    if ((performative.message_format ?? 0) === 0) performative.message_format = rawFormat;
    const isFirst = link._incomplete === undefined;
    const payload = frame.payload ?? nothing;
    const before = isFirst ? 0 : (bytesOf.get(link) ?? 0);
    // One byte more than allowed is kept, so that the message is refused when it has ended.
    const left = (link.local.attach.max_message_size ?? messageBytesMax) + 1 - before;
    frame.payload = left > 0 || isFirst ? payload.subarray(0, left) : undefined;
    bytesOf.set(link, before + (frame.payload?.length ?? 0));
    onTransfer(frame);
  };
};
