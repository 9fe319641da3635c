/** New PINs: tokens that count once, and the command that carries a cypher to the card processor. */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { PinChange } from "../../contracts/card/pins.js";
import { isLiveCard } from "../../domain/card/live-card.js";
import { refusal, success, type Outcome, type Refusal } from "../../domain/outcome.js";
import { uuidv7 } from "../../platform/ids.js";
import { newSecret } from "../../platform/secrets.js";
import { findCard, lockCard, type CardRefusal, type CardRow } from "../access/card-access.js";
import type { Actor } from "../access/wallet-access.js";
import type { Database, Queryable } from "../platform/database.js";
import { tellCardProcessor } from "./processor-commands.js";

const hashOf = (token: string): Buffer => createHash("sha256").update(token).digest();

/** A token for this card, which is told once; what has run out of the card's is forgotten. */
export const makePinToken = async (
  database: Database,
  actor: Actor,
  cardId: string,
): Promise<Outcome<string, CardRefusal>> => {
  const card = await findCard(database, actor, cardId);
  if (!card.ok) return card;
  const token = newSecret();
  await database.transaction(async (tx) => {
    await tx.execute(
      `delete from borsello.card_pin_token
       where card_id = $1 and expires_at < borsello.platform_now()`,
      [cardId],
    );
    await tx.execute(
      `insert into borsello.card_pin_token (token_hash, card_id, expires_at)
       values ($1, $2, borsello.platform_now() + interval '1 hour')`,
      [hashOf(token), cardId],
    );
  });
  return success(token);
};

const TokenRow = z.object({ cardId: z.string() });

/** The card that a token is for, if it is still good. */
const cardOf = async (database: Queryable, token: string): Promise<string | undefined> =>
  (
    await database.row(
      TokenRow,
      `select card_id as "cardId" from borsello.card_pin_token
       where token_hash = $1 and expires_at >= borsello.platform_now()`,
      [hashOf(token)],
    )
  )?.cardId;

const useUp = async (tx: Queryable, token: string): Promise<boolean> =>
  (await tx.execute(
    `delete from borsello.card_pin_token
     where token_hash = $1 and expires_at >= borsello.platform_now()`,
    [hashOf(token)],
  )) === 1;

const whyNotLive = (card: CardRow): Refusal<"CardStatusInvalid"> | undefined =>
  isLiveCard(card) ? undefined : refusal("CardStatusInvalid", { status: card.status });

const Written = z.object({ record: z.string() });

export type PinRefusal = "PinTokenInvalid" | "PinCypherInvalid" | "CardStatusInvalid";

/**
 * The card's record as JSON. `accepts` judges the cypher, which goes to the processor and is kept nowhere: the
 * outbox forgets it once it was sent.
 */
export const changePin = async (
  database: Database,
  { partnerKey, clientId }: Actor,
  { token, cypher }: PinChange,
  accepts: (cypher: string) => Promise<boolean>,
): Promise<Outcome<string, PinRefusal>> => {
  const actor: Actor = { partnerKey, clientId };
  const cardId = await cardOf(database, token);
  const found = cardId === undefined ? undefined : await findCard(database, actor, cardId);
  // Whose token it is, is nobody else's to know.
  if (cardId === undefined || found?.ok !== true) return refusal("PinTokenInvalid");
  const wrong = whyNotLive(found.value);
  if (wrong !== undefined) return wrong;
  if (!(await accepts(cypher))) return refusal("PinCypherInvalid");
  return database.transaction(async (tx) => {
    const card = await lockCard(tx, actor, cardId);
    if (!card.ok) return refusal("PinTokenInvalid");
    const late = whyNotLive(card.value);
    if (late !== undefined) return late;
    if (!(await useUp(tx, token))) return refusal("PinTokenInvalid");
    const changed = await tx.row(
      Written,
      `with changed as (
         update borsello.card set last_update_date = borsello.platform_now()
         where card_id = $1 returning *
       ), noted as (
         insert into borsello.audit
           (actor, partner_key, entity, entity_id, action, from_status, to_status)
         values ($2, $3, 'Card', $1, 'changePin', $4, $4)
       )
       select borsello.card_record(c)::text as record from changed as c`,
      [cardId, clientId, partnerKey, card.value.status],
    );
    if (changed === undefined) throw new Error(`The card ${cardId} was gone while it was locked.`);
    const command = { commandId: uuidv7(), kind: "pin", affiliate: partnerKey, cardId } as const;
    await tellCardProcessor(tx, { ...command, cypher });
    return success(changed.record);
  });
};
