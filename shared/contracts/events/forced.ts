/** What callers send to force an event: the whole of it, flat (wallet seed, 4.7; contract 4.7). */
import { z } from "zod";
import { envelope } from "./envelope.js";
import type { BusinessEvent } from "./event.js";

/** What has no value may be left out. */
const given = (field: z.ZodType): z.ZodType =>
  field instanceof z.ZodNullable ? field.default(null) : field;

/** Fields of the envelope are optional; no other field is let through. */
export const forcedBody = ({ payload }: Pick<BusinessEvent, "payload">) =>
  z.strictObject({
    ...z.object(envelope).partial().shape,
    ...Object.fromEntries(Object.entries(payload).map(([name, field]) => [name, given(field)])),
  });
