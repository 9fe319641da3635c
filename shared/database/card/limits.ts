/** Sets a card's limits, all of them at once, and tells the card processor. */
import type { CardLimit } from "../../contracts/card/limits.js";
import { isCardLimitType } from "../../domain/card/limit-types.js";
import { isLiveCard } from "../../domain/card/live-card.js";
import { centsOf } from "../../domain/money.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import { uuidv7 } from "../../platform/ids.js";
import { lockCard, type CardRefusal } from "../access/card-access.js";
import type { Actor } from "../access/wallet-access.js";
import type { Database } from "../platform/database.js";
import { tellCardProcessor } from "./processor-commands.js";

export type LimitRefusal =
  CardRefusal | "CardLimitTypeUnknown" | "CardStatusInvalid" | "AmountScaleInvalid";

interface StoredLimit {
  readonly type: string;
  readonly limit_cents: string;
  readonly is_disabled: boolean;
}

const storedLimits = (
  limits: readonly CardLimit[],
): Outcome<StoredLimit[], "CardLimitTypeUnknown" | "AmountScaleInvalid"> => {
  const stored: StoredLimit[] = [];
  for (const { type, limit, isDisabled } of limits) {
    if (!isCardLimitType(type)) return refusal("CardLimitTypeUnknown", { type });
    const cents = centsOf(limit);
    if (cents === undefined) return refusal("AmountScaleInvalid", { type, limit: String(limit) });
    stored.push({ type, limit_cents: String(cents), is_disabled: isDisabled });
  }
  return success(stored);
};

/** The card's row is locked meanwhile: no authorisation sees a part of them. */
export const setCardLimits = async (
  database: Database,
  { partnerKey, clientId }: Actor,
  cardId: string,
  limits: readonly CardLimit[],
): Promise<Outcome<readonly CardLimit[], LimitRefusal>> =>
  database.transaction(async (tx) => {
    const card = await lockCard(tx, { partnerKey, clientId }, cardId);
    if (!card.ok) return card;
    const stored = storedLimits(limits);
    if (!stored.ok) return stored;
    const { status } = card.value;
    if (!isLiveCard(card.value)) return refusal("CardStatusInvalid", { status });
    await tx.execute("delete from borsello.card_limit where card_id = $1", [cardId]);
    await tx.execute(
      `insert into borsello.card_limit (card_id, type, limit_cents, is_disabled)
       select $1, type, limit_cents, is_disabled
       from json_to_recordset($2) as given (type text, limit_cents bigint, is_disabled boolean)`,
      [cardId, JSON.stringify(stored.value)],
    );
    await tx.execute(
      "update borsello.card set last_update_date = borsello.platform_now() where card_id = $1",
      [cardId],
    );
    await tx.execute(
      `insert into borsello.audit
         (actor, partner_key, entity, entity_id, action, from_status, to_status, detail)
       values ($1, $2, 'Card', $3, 'setLimits', $4, $4, $5)`,
      [clientId, partnerKey, cardId, status, JSON.stringify({ limits })],
    );
    const command = { commandId: uuidv7(), kind: "limits", affiliate: partnerKey, cardId } as const;
    await tellCardProcessor(tx, { ...command, limits });
    return success(limits);
  });
