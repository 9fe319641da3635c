/** What a partner may be called: its name is a topic's, a subscription's and a header's at the same time. */
import { z } from "zod";

/** A subscription's name is no longer. */
const charactersMax = 50;

/** Queues and topics of the platform's own. */
export const reservedNames: readonly string[] = [
  "bank-mandate-requests",
  "bank-notifications",
  "bank-outcomes",
  "bank-requests",
  "card-processor-commands",
  "card-processor-events",
  "platform-events",
];

/** Small letters only: the broker tells no `Acme` from an `acme`. */
export const partnerName = z
  .string()
  .max(charactersMax, `must have at most ${charactersMax} characters`)
  .regex(
    /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
    "must be small letters and digits, in words joined by single hyphens, and begin with a letter",
  )
  .refine(
    (name) => !reservedNames.includes(name),
    "is the name of a queue or topic of the platform",
  );
