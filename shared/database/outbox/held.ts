/** Messages that a destination refuses for their own sake: held with what follows in their session, tried again. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";
import { lockSpace, messageColumns, WaitingMessage } from "./outbox.js";

/** Between the attempts at a message: the first follows at once, and after the last it is given up on. */
export const retryWaits: readonly string[] = [
  "5 seconds",
  "5 minutes",
  "30 minutes",
  "2 hours",
  "5 hours",
  "10 hours",
  "10 hours",
];

export interface Refusal {
  readonly outboxId: bigint;
  readonly destination: string;
  readonly error: string;
}

const HeldMessage = z.object({
  outboxId: z.bigint(),
  destination: z.string(),
  failures: z.int(),
  isGivenUp: z.boolean(),
});
export type HeldMessage = z.output<typeof HeldMessage>;

/**
 * Each refusal is one attempt used up. Of all that was claimed, what cannot be sent anywhere now rests until
 * what holds it is gone. Only in the session that claimed it.
 */
export const holdRefused = (
  session: Queryable,
  refusals: readonly Refusal[],
  claimed: readonly WaitingMessage[],
): Promise<HeldMessage[]> =>
  session.rows(
    HeldMessage,
    `select outbox_id as "outboxId", destination, failures, given_up_at is not null as "isGivenUp"
     from borsello.hold_messages($1, $2, $3, $4::interval[], $5)`,
    [
      refusals.map(({ outboxId }) => outboxId),
      refusals.map(({ destination }) => destination),
      refusals.map(({ error }) => error),
      retryWaits,
      claimed.map(({ outboxId }) => outboxId),
    ],
  );

const DueMessage = WaitingMessage.extend({ destination: z.string() });
export type DueMessage = z.output<typeof DueMessage>;

/** Held messages whose next attempt is due, in outbox order; their sessions are the caller's until it ends. */
export const claimHeld = (
  session: Queryable,
  avoided: readonly string[],
  limit: number,
): Promise<DueMessage[]> =>
  session.rows(
    DueMessage,
    `select destination, ${messageColumns} from borsello.take_held($1, $2, ${lockSpace})
     order by outbox_id`,
    [avoided, limit],
  );

const NextAttempt = z.object({ inMs: z.number().nullable() });

/** Milliseconds until the next attempt at a held message that can be tried; null where there is none. */
export const nextHeldAttemptInMs = async (
  queryable: Queryable,
  avoided: readonly string[],
): Promise<number | null> => {
  const found = await queryable.row(
    NextAttempt,
    `select (extract(epoch from min(next_attempt_at) - clock_timestamp()) * 1000)::float8 as "inMs"
     from borsello.held_message where next_attempt_at is not null and destination <> all ($1)`,
    [avoided],
  );
  const inMs = found?.inMs ?? null;
  return inMs === null ? null : Math.max(0, inMs);
};
