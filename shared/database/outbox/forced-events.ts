/** Publishes events that a partner forces onto its own topic. */
import { z } from "zod";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Actor } from "../access/wallet-access.js";
import type { Database } from "../platform/database.js";

export interface ForcedEvent {
  readonly name: string;
  /** Null: it is ordered with no other event. */
  readonly sessionId: string | null;
  /** What the caller gave of it; the rest is filled in. */
  readonly envelope: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

const Forced = z.discriminatedUnion("outcome", [
  z.object({
    outcome: z.literal("published"),
    id: z.guid(),
    sessionId: z.string(),
    publishedAt: z.string(),
  }),
  z.object({ outcome: z.literal("reused") }),
]);

export interface PublishedEvent {
  readonly id: string;
  readonly sessionId: string;
  /** As the event's body says it. */
  readonly publishedAt: string;
}

/** The same event under the same id again: what was answered first, and nothing more is published. */
export const forceEvent = async (
  database: Database,
  { partnerKey, clientId }: Actor,
  { name, sessionId, envelope, payload }: ForcedEvent,
): Promise<Outcome<PublishedEvent, "IdempotencyKeyReused">> => {
  const forced = await database.command(
    Forced,
    `select outcome, id, session_id as "sessionId", published_at as "publishedAt"
     from borsello.force_event($1, $2, $3, $4, $5, $6)`,
    [name, partnerKey, sessionId, JSON.stringify(envelope), JSON.stringify(payload), clientId],
  );
  if (forced === undefined) throw new Error("A function without rows of its own gave none.");
  if (forced.outcome === "reused")
    return refusal("IdempotencyKeyReused", {
      "/id": "is the id of another event: leave it out, or send one that no event has.",
    });
  const { id, sessionId: inSession, publishedAt } = forced;
  return success({ id, sessionId: inSession, publishedAt });
};
