/** The numbers of a partner's messages: 1, 2, 3 … without a gap, in order of commit per wallet. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";
import type { WaitingMessage } from "./outbox.js";

const Numbered = z.object({ outboxId: z.bigint(), sequence: z.bigint() });

/** By outbox id. */
export type Sequences = ReadonlyMap<bigint, bigint>;

/**
 * Numbers claimed messages, or finds the numbers that they have. In the session that claimed them, so
 * that nobody else numbers these messages; it has no transaction, so that numbers are committed before
 * anything is sent under them.
 */
export const numberMessages = async (
  session: Queryable,
  claimed: readonly WaitingMessage[],
): Promise<Sequences> => {
  const due = claimed.filter(({ isNumbered }) => isNumbered).map(({ outboxId }) => outboxId);
  if (due.length === 0) return new Map();
  const numbered = await session.rows(
    Numbered,
    'select outbox_id as "outboxId", sequence from borsello.number_messages($1)',
    [due],
  );
  return new Map(numbered.map(({ outboxId, sequence }) => [outboxId, sequence]));
};
