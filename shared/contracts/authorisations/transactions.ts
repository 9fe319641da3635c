/** The transactions of a card as its holder sees them: the list, and how many there are (contract 3.3). */
import { z } from "zod";
import { CardTransaction, cardParams } from "../card/fields.js";
import { dateRangeQuery } from "../date-range.js";
import { pageErrors, pageQuery, paginated } from "../pages.js";
import { route } from "../route.js";

const ofCard = {
  api: "card",
  method: "GET",
  params: cardParams,
  role: "Card.Read",
} as const;

const refusals = ["DateRangeInvalid", "AccountOfAnotherAffiliate", "CardNotFound"] as const;

const days = "From `fromDate` (90 days ago where absent) to `toDate` (now), both included.";

export const listCardTransactionsRoute = route({
  ...ofCard,
  id: "listCardTransactions",
  path: "cards/{cardId}/transactions",
  query: { ...dateRangeQuery, ...pageQuery },
  ok: { status: 200, schema: paginated(CardTransaction) },
  errors: [...pageErrors, ...refusals],
  summary: "List the transactions of a card",
  result: "A page of the transactions, and how many there are in all.",
  description: `In order of their dates. ${days}`,
});

export const countCardTransactionsRoute = route({
  ...ofCard,
  id: "countCardTransactions",
  path: "cards/{cardId}/transactions/count",
  query: dateRangeQuery,
  ok: { status: 200, schema: z.object({ value: z.int() }) },
  errors: refusals,
  summary: "Count the transactions of a card",
  result: "How many transactions match.",
  description: days,
});
