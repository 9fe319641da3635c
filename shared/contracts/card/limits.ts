/** Limits of a card: what it may be used for at most (card seed, 2.2; contract section 5). */
import { z } from "zod";
import { cardLimitTypes } from "../../domain/card/limit-types.js";
import { route } from "../route.js";
import { cardErrors, cardParams } from "./fields.js";

const largestLimit = 999_999_999.99;

const CardLimit = z.strictObject({
  type: z
    .string()
    .min(1)
    .max(255)
    .describe(`One of ${cardLimitTypes.join(", ")}.`),
  limit: z.number().nonnegative().max(largestLimit),
  isDisabled: z.boolean().describe("True: it bounds nothing for the time being."),
});
export type CardLimit = z.infer<typeof CardLimit>;

/** Several of one type would bound the same thing by different amounts. */
const areDistinct = (limits: readonly CardLimit[]): boolean =>
  new Set(limits.map(({ type }) => type)).size === limits.length;

/** Leaves room for types that do not exist: they are refused by their name. */
const limitsMax = 50;

export const setCardLimitsRoute = route({
  id: "setCardLimits",
  api: "card",
  method: "PUT",
  path: "cards/{cardId}/limits",
  params: cardParams,
  body: z.strictObject({
    limits: z
      .array(CardLimit)
      .min(1)
      .max(limitsMax)
      .refine(areDistinct, { error: "must name each type once" }),
  }),
  role: "Card.Write",
  ok: { status: 200, schema: z.array(CardLimit.meta({ id: "CardLimit" })) },
  errors: [...cardErrors, "CardLimitTypeUnknown", "CardStatusInvalid", "AmountScaleInvalid"],
  summary: "Set a card's limits",
  result: "The card's limits, which replace all that it had.",
  description:
    "These limits and no others hold from now on, the ones that every card starts with included: a type that is " +
    "not named bounds nothing. The card is Active or Locked. Days, weeks, months and years are Rome's.",
});
