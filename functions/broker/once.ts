/** Handles what has an id of its own once: a repeat is passed over, another content under the id is dead-lettered. */
import { createHash } from "node:crypto";
import { inboxState, noteHandled, type InboxEntry } from "../../shared/database/platform/inbox.js";
import type { DeadLetterReason } from "../../shared/events/service-bus.js";
import type { Services } from "../kit/services.js";

/** Resolves to why it is dead-lettered; undefined: it was handled. */
export type Handle = () => Promise<DeadLetterReason | undefined>;

/** Of the content: two that differ in anything are not repeats of each other. */
export const hashOf = (content: unknown): Buffer =>
  createHash("sha256")
    .update(content instanceof Uint8Array ? content : JSON.stringify([content]))
    .digest();

/** `reused` is why the second of two contents under one id is dead-lettered. */
export const once = async (
  { database, logger }: Pick<Services, "database" | "logger">,
  entry: InboxEntry,
  reused: DeadLetterReason,
  handle: Handle,
): Promise<DeadLetterReason | undefined> => {
  const { entity, messageId } = entry;
  switch (await inboxState(database, entry)) {
    case "handled":
      logger.info("A message came again and was passed over.", { entity, messageId });
      return undefined;
    case "reused":
      return reused;
    case "unknown": {
      const why = await handle();
      if (why === undefined && !(await noteHandled(database, entry)))
        logger.error("Two messages with one id and different bodies were handled at once.", {
          ...{ entity, messageId },
        });
      return why;
    }
  }
};
