/** What the host tells of a message, beside its body. */
import type { InvocationContext } from "@azure/functions";
import { z } from "zod";
import { soundTraceParent } from "../../shared/platform/telemetry/trace-context.js";
import { isStorable } from "../../shared/platform/storable-text.js";

/** What the broker allows. */
const idCharactersMax = 128;

const Metadata = z.object({
  messageId: z.unknown().optional(),
  lockToken: z.string(),
  deliveryCount: z.int().default(1),
  sessionId: z.unknown().optional(),
  subject: z.unknown().optional(),
  applicationProperties: z
    .object({ traceparent: z.unknown() })
    .partial()
    .optional()
    .catch(undefined),
});

export interface Incoming {
  /** Undefined: none, or none that could be kept. */
  readonly messageId: string | undefined;
  readonly lockToken: string;
  /** This one counted in: 1 for the first. */
  readonly deliveryCount: number;
  readonly sessionId: string | undefined;
  readonly subject: string | undefined;
  /** The trace that it belongs to. */
  readonly traceParent: string | undefined;
}

/**
 * The Functions library reads each text of the metadata as JSON where it can: what cannot be turned back is
 * unknown, such as a number of more digits than a double has.
 */
const textOf = (value: unknown): string | undefined => {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === "string" && text !== "" ? text : undefined;
};

const idOf = (value: unknown): string | undefined => {
  const text = textOf(value);
  return text !== undefined && text.length <= idCharactersMax && isStorable(text)
    ? text
    : undefined;
};

export const incomingOf = ({
  triggerMetadata,
}: Pick<InvocationContext, "triggerMetadata">): Incoming => {
  const { messageId, sessionId, subject, applicationProperties, ...rest } =
    Metadata.parse(triggerMetadata);
  return {
    ...rest,
    messageId: idOf(messageId),
    sessionId: textOf(sessionId),
    subject: textOf(subject),
    traceParent: soundTraceParent(applicationProperties?.traceparent),
  };
};
