/** The outbox as the relay sees it: claims what waits, records what left. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

export const WaitingMessage = z.object({
  outboxId: z.bigint(),
  messageId: z.string(),
  destinations: z.array(z.string()),
  deliveredTo: z.array(z.string()),
  sessionId: z.string(),
  subject: z.string(),
  partnerKey: z.string().nullable(),
  /** Whether it takes one of its partner's numbers: it goes to that partner's topic. */
  isNumbered: z.boolean(),
  entityVersion: z.bigint().nullable(),
  body: z.string(),
  attempts: z.int(),
  /** The trace that it was written for, as a traceparent of 55 characters. */
  traceParent: z.string().nullable(),
  /** Where it cannot go now: it is refused there, or an earlier one of its session is. */
  heldAt: z.array(z.string()),
});
export type WaitingMessage = z.infer<typeof WaitingMessage>;

/** The advisory locks of relays: this number and the hash of a session. */
export const lockSpace = 7_071_002;

export const messageColumns = `outbox_id as "outboxId", message_id as "messageId", destinations,
  delivered_to as "deliveredTo", session_id as "sessionId", subject,
  partner_key as "partnerKey", coalesce(partner_key = any (destinations), false) as "isNumbered",
  entity_version as "entityVersion", body::text, attempts,
  held_at as "heldAt", trace_parent as "traceParent"`;

export interface ClaimScope {
  /** What has only these destinations left is passed by. */
  readonly avoided: readonly string[];
  /** What goes there alone; null: whatever waits. */
  readonly only: string | null;
  readonly limit: number;
}

/**
 * The oldest waiting messages, in outbox order. The wallets that they are of are the session's, and no
 * other relay's, until it ends.
 */
export const claimWaiting = (
  session: Queryable,
  { avoided, only, limit }: ClaimScope,
): Promise<WaitingMessage[]> =>
  session.rows(
    WaitingMessage,
    `select ${messageColumns}
     from borsello.take_messages($1, $2, $3, ${lockSpace}) order by outbox_id`,
    [avoided, only, limit],
  );

export interface Attempt {
  readonly outboxId: bigint;
  /** Null: it was tried there in vain. */
  readonly deliveredTo: string | null;
}

/**
 * One attempt more for each message; sent once all its destinations have it, which then need no list of
 * their own. From here on the message itself holds its number, and what has arrived holds nobody back.
 */
export const recordAttempts = (session: Queryable, attempts: readonly Attempt[]): Promise<number> =>
  session.execute(
    `with given as (
       delete from borsello.given_sequence where outbox_id = any ($1)
       returning outbox_id as given_to, sequence as given
     ), released as (
       delete from borsello.held_message as held using unnest($1::bigint[], $2::text[]) as arrived (id, place)
       where held.outbox_id = arrived.id and held.destination = arrived.place
     )
     update borsello.outbox set
       attempts = attempts + 1,
       sequence = coalesce(sequence, tried.given),
       delivered_to = case when destinations <@ (delivered_to || tried.reached)
         then '{}' else delivered_to || tried.reached end,
       sent_at = case when destinations <@ (delivered_to || tried.reached)
         then clock_timestamp() end
     from (
       select outbox_id,
         coalesce(array_agg(destination) filter (where destination is not null), '{}') as reached,
         min(given) as given
       from unnest($1::bigint[], $2::text[]) as attempt (outbox_id, destination)
         left join given on given_to = outbox_id
       group by outbox_id) as tried
     where outbox.outbox_id = tried.outbox_id`,
    [attempts.map(({ outboxId }) => outboxId), attempts.map(({ deliveredTo }) => deliveredTo)],
  );
