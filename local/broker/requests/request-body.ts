/** Reads the bodies of management requests. */
import { z } from "zod";
import { BrokerError, conditions } from "../errors.js";

export const Bytes = z.custom<Buffer>((value) => Buffer.isBuffer(value), "bytes are expected");
export const LockTokens = z.array(Bytes.refine((token) => token.length === 16, "not a lock token"));
/** Numbers beyond what JavaScript can count are no number of ours. */
export const SequenceNumbers = z.array(z.union([z.int(), Bytes.transform(() => -1)]));
export const SessionId = z.string().nullish().default(null);

export const parseBody = <T>(schema: z.ZodType<T>, body: unknown): T => {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new BrokerError(
    conditions.invalidField,
    `The request is not valid: ${parsed.error.issues[0]?.message ?? "its body cannot be read"}.`,
  );
};
