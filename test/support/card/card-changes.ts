/** What a change of a card leaves behind, as tests look at it. */
import { z } from "zod";
import type { Card } from "../../../shared/contracts/card/fields.js";
import type { Queryable } from "../../../shared/database/platform/database.js";
import type { OutboxRow } from "../wallet/bank-fixtures.js";

const State = z.object({
  status: z.string(),
  statusReasonCode: z.string().nullable(),
  lockLevel: z.string().nullable(),
});

export const stateOf = (database: Queryable, cardId: string) =>
  database.row(
    State,
    `select status, status_reason_code as "statusReasonCode", lock_level as "lockLevel"
     from borsello.card where card_id = $1`,
    [cardId],
  );

const Change = z.object({
  from: z.string().nullable(),
  to: z.string(),
  level: z.string().nullable(),
  reason: z.string().nullable(),
  note: z.string().nullable(),
  actor: z.string(),
});

/** Of a card, or of an account's own changes; without their moments. */
export const historyOf = (database: Queryable, id: string) =>
  database.rows(
    Change,
    `select from_status as from, to_status as to, level, reason, note, actor
     from borsello.card_state_change
     where card_id = $1 or account_id = $1 and card_id is null order by change_id`,
    [id],
  );

/** The command that the processor gets when a card's state has changed. */
export const cardCommandOf = (
  { cardId, accountId }: Pick<Card, "cardId" | "accountId">,
  message: OutboxRow | undefined,
  said: {
    readonly kind: string;
    readonly level: string | null;
    readonly reason: string | null;
    readonly note: string | null;
  },
) => ({ commandId: message?.messageId, affiliate: "acme", cardId, accountId, ...said });
