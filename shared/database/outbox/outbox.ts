/** The outbox as the relay sees it: locks wallets, reads what waits, records what left. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

const WaitingMessage = z.object({
  outboxId: z.bigint(),
  messageId: z.string(),
  destinations: z.array(z.string()),
  deliveredTo: z.array(z.string()),
  sessionId: z.string(),
  subject: z.string(),
  partnerKey: z.string().nullable(),
  entityVersion: z.bigint().nullable(),
  body: z.string(),
  attempts: z.int(),
});
export type WaitingMessage = z.infer<typeof WaitingMessage>;

/** The advisory locks of relays: this number and the hash of a session. */
const lockSpace = 7_071_002;

const LockedSession = z.object({ sessionHash: z.int() });

/**
 * Takes the sessions of the oldest waiting messages for this transaction, those that another
 * relay holds left out. The caller reads their messages in its next statement, whose snapshot is
 * younger than the locks: so it never sees a message as waiting that another relay has just sent.
 */
export const lockWaitingSessions = async (
  tx: Queryable,
  suspended: readonly string[],
  limit: number,
): Promise<number[]> => {
  const locked = await tx.rows(
    LockedSession,
    `select session_hash as "sessionHash" from (
       select distinct hashtext(session_id) as session_hash from (
         select session_id from borsello.outbox
         where sent_at is null and not destinations <@ (delivered_to || $1::text[])
         order by outbox_id limit $2) as waiting) as session
     where pg_try_advisory_xact_lock(${lockSpace}, session_hash)`,
    [suspended, limit],
  );
  return locked.map(({ sessionHash }) => sessionHash);
};

export const readWaiting = (
  tx: Queryable,
  sessionHashes: readonly number[],
  suspended: readonly string[],
  limit: number,
): Promise<WaitingMessage[]> =>
  tx.rows(
    WaitingMessage,
    `select outbox_id as "outboxId", message_id as "messageId", destinations,
       delivered_to as "deliveredTo", session_id as "sessionId", subject,
       partner_key as "partnerKey", entity_version as "entityVersion", body::text, attempts
     from borsello.outbox
     where sent_at is null and not destinations <@ (delivered_to || $2::text[])
       and hashtext(session_id) = any($1::integer[])
     order by outbox_id limit $3`,
    [sessionHashes, suspended, limit],
  );

export interface Attempt {
  readonly outboxId: bigint;
  /** Null: it was tried there in vain. */
  readonly deliveredTo: string | null;
}

/** One attempt more for each message; sent once all its destinations have it. */
export const recordAttempts = (tx: Queryable, attempts: readonly Attempt[]): Promise<number> =>
  tx.execute(
    `update borsello.outbox set
       attempts = attempts + 1,
       delivered_to = delivered_to || tried.reached,
       sent_at = case when destinations <@ (delivered_to || tried.reached)
         then clock_timestamp() end
     from (
       select outbox_id,
         coalesce(array_agg(destination) filter (where destination is not null), '{}') as reached
       from unnest($1::bigint[], $2::text[]) as attempt (outbox_id, destination)
       group by outbox_id) as tried
     where outbox.outbox_id = tried.outbox_id`,
    [attempts.map(({ outboxId }) => outboxId), attempts.map(({ deliveredTo }) => deliveredTo)],
  );
