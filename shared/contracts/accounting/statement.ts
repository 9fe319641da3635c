/** The route of a wallet's statement (contract 3.4). */
import { dateRangeQuery } from "../date-range.js";
import { route } from "../route.js";
import { walletParams } from "../wallet/fields.js";

/** Where no `fromDate` is given. */
export const statementDays = 90;

export const getStatementRoute = route({
  id: "getStatement",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}/statement",
  params: walletParams,
  query: dateRangeQuery,
  role: "Operation.Read",
  ok: { status: 200, contentType: "text/csv", alternatives: ["application/pdf"] },
  errors: ["DateRangeInvalid", "WalletOfAnotherPartner", "WalletNotFound"],
  summary: "A wallet's statement, as CSV or PDF",
  result: "The statement in the form that `Accept` asks for.",
  description:
    "What moved between `fromDate` and `toDate`, both included and at most 366 days apart: every " +
    "posting to the wallet's buckets in the order in which it was posted, with its fee and the " +
    "balance after it, between the opening and the closing balance. What is only held is not in " +
    `it. Without \`toDate\` it goes up to now, without \`fromDate\` it begins ${statementDays} days ` +
    "before its end. The `Accept` header chooses: CSV unless `application/pdf` is preferred. " +
    "CSV has UTF-8, commas, points as decimal signs, dates in UTC; a text that a spreadsheet would " +
    "take for a formula has an apostrophe before it; the last line is the closing balance. A PDF " +
    "has dates of Europe/Rome, and at most 10,000 movements: beyond, the period is refused.",
});
