/** What callers send to force an event: the whole of it, flat (wallet seed, 4.7; contract 4.7). */
import { z } from "zod";
import { envelope } from "./envelope.js";
import type { BusinessEvent } from "./event.js";

/** What has no value may be left out. */
const given = (field: z.ZodType): z.ZodType =>
  field instanceof z.ZodNullable ? field.default(null) : field;

export type ForcedBody = Readonly<Record<string, unknown>>;

/** With what is filled in, a message stays below the outbox's 200,000. */
const bytesMax = 190_000;

/** Fields of the envelope are optional; no other field is let through. */
export const forcedBody = ({
  payload,
  example,
}: Pick<BusinessEvent, "payload" | "example">): z.ZodType<ForcedBody, ForcedBody> =>
  z
    .strictObject({
      ...z.object(envelope).partial().shape,
      ...Object.fromEntries(Object.entries(payload).map(([name, field]) => [name, given(field)])),
    })
    .refine(
      (body) => Buffer.byteLength(JSON.stringify(body)) <= bytesMax,
      `must have at most ${bytesMax} bytes as JSON`,
    )
    .meta({
      description: `At most ${bytesMax} bytes as JSON in UTF-8, without white space.`,
      examples: [example],
    });
