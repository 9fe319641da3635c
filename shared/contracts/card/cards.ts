/** Routes of cards (card seed, 4.1; contract 3.3). */
import { z } from "zod";
import { cardLevels, cardReasons } from "../../domain/card/statuses.js";
import { Identifier } from "../identifier.js";
import { dateRangeQuery } from "../date-range.js";
import { pageErrors, pageQuery, paginated } from "../pages.js";
import { route } from "../route.js";
import {
  accountErrors,
  Card,
  cardErrors,
  cardParams,
  idParams,
  Reference,
  relationTypes,
  StateChange,
} from "./fields.js";

const record = { status: 200, schema: Card } as const;

const ofAccount = { api: "card", params: idParams } as const;
const ofCard = { api: "card", params: cardParams } as const;

export const listCardsRoute = route({
  ...ofAccount,
  id: "listCards",
  method: "GET",
  path: "accounts/{id}/cards",
  query: pageQuery,
  role: "Card.Read",
  ok: { status: 200, schema: paginated(Card) },
  errors: [...pageErrors, ...accountErrors],
  summary: "The cards of an account",
  result: "A page of the cards, and how many there are in all.",
  description: "In every state, the oldest first.",
});

const first = { abort: true } as const;

export const CreateCardBody = z.strictObject({
  cardHolderCustomerId: Identifier,
  nameOnCard: z
    .string()
    .trim()
    .min(1)
    .max(255, first)
    .regex(/^\P{Cc}*$/u, "must not hold control characters"),
  barCode: Reference,
  financialReference: Reference.describe("The wallet or account that its payments are taken from."),
  externalReference: Reference,
  relationType: z.enum(relationTypes),
});
export type NewCard = z.output<typeof CreateCardBody>;

export const createCardRoute = route({
  ...ofAccount,
  id: "createCard",
  method: "POST",
  path: "accounts/{id}/cards",
  body: CreateCardBody,
  takesIdempotencyKey: true,
  role: "Card.Write",
  ok: record,
  errors: ["AccountStatusInvalid", "AccountAmbiguous", ...accountErrors],
  summary: "Create a card for an account",
  result: "The new card, Active.",
  description:
    "`id` is the account's, or that of a customer who has exactly one account that is not deleted. The " +
    "card is Active at once; token, masked number and expiry date follow when the processor has issued " +
    "it. An account has at most 500 cards that are not deleted. The event CardCreated follows.",
});

export const getCardRoute = route({
  ...ofCard,
  id: "getCard",
  method: "GET",
  path: "cards/{cardId}",
  role: "Card.Read",
  ok: record,
  errors: cardErrors,
  summary: "Get a card",
  result: "The card as it is now.",
});

export const UpdateCardBody = z.strictObject({
  barCode: Reference,
  financialReference: Reference,
  externalReference: Reference,
});
export type CardUpdate = z.output<typeof UpdateCardBody>;

export const updateCardRoute = route({
  ...ofCard,
  id: "updateCard",
  method: "PUT",
  path: "cards/{cardId}",
  body: UpdateCardBody,
  role: "Card.Write",
  ok: record,
  errors: cardErrors,
  summary: "Set a card's references",
  result: "The card with its new references.",
  description:
    "The body takes the place of what was given before: a reference that is absent, null or empty is " +
    "removed. In every state of the card.",
});

export const deleteCardRoute = route({
  ...ofCard,
  id: "deleteCard",
  method: "DELETE",
  path: "cards/{cardId}",
  query: { reasonCode: z.enum(cardReasons.delete) },
  role: "Card.Write",
  ok: record,
  errors: ["QueryParameterInvalid", "CardStatusInvalid", ...cardErrors],
  summary: "Delete a card",
  result: "The card, now deleted.",
  description: "For good; the record can still be read. The event CardDeleted follows.",
});

const noteCharactersMax = 50;

const NoteBody = z.strictObject({
  note: z
    .string()
    .max(noteCharactersMax, first)
    .regex(/^\P{Cc}*$/u, "must not hold control characters")
    .describe("Kept with the change, in the card's history."),
});

const level = z.enum(cardLevels).describe("Who asks for it: Admin may undo what a client locks.");

export const lockCardRoute = route({
  ...ofAccount,
  id: "lockCard",
  method: "PUT",
  path: "cards/{id}/lock",
  query: { lockType: z.enum(cardReasons.lock), level },
  body: NoteBody,
  role: "Card.Write",
  ok: record,
  errors: ["QueryParameterInvalid", "CardStatusInvalid", ...cardErrors],
  summary: "Lock an active card",
  result: "The card, now locked.",
  description: "It declines until it is unlocked. The event CardLocked follows.",
});

export const unlockCardRoute = route({
  ...ofAccount,
  id: "unlockCard",
  method: "PUT",
  path: "cards/{id}/unlock",
  query: { level },
  body: NoteBody,
  role: "Card.Write",
  ok: record,
  errors: ["QueryParameterInvalid", "CardStatusInvalid", "LockLevelInsufficient", ...cardErrors],
  summary: "Unlock a locked card",
  result: "The card, Active again.",
  description:
    "At the lock's level or a higher one. A card that was stolen, or that the issuer locked for fraud or " +
    "for the law, needs Admin. The event CardUnlocked follows.",
});

export const blockCardRoute = route({
  ...ofAccount,
  id: "blockCard",
  method: "PUT",
  path: "cards/{id}/block",
  query: { reasonCode: z.enum(cardReasons.block) },
  role: "Card.Write",
  ok: record,
  errors: ["QueryParameterInvalid", "CardStatusInvalid", ...cardErrors],
  summary: "Block a card for good",
  result: "The card, now blocked.",
  description: "Nothing unlocks it. The event CardBlocked follows.",
});

export const getCardHistoryRoute = route({
  ...ofCard,
  id: "getCardHistory",
  method: "GET",
  path: "cards/{cardId}/history",
  query: { ...dateRangeQuery, ...pageQuery },
  role: "Card.Read",
  ok: { status: 200, schema: z.array(StateChange) },
  errors: [...pageErrors, "DateRangeInvalid", ...cardErrors],
  summary: "The changes of a card's state",
  result: "The changes of the card's state, the oldest first.",
  description: "The oldest first, from its creation.",
});
