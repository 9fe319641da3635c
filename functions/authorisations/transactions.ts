/** The transactions of a card: list and count. */
import {
  countCardTransactionsRoute,
  listCardTransactionsRoute,
} from "../../shared/contracts/authorisations/transactions.js";
import { whyNoCard } from "../../shared/database/access/card-access.js";
import {
  countCardTransactions,
  listCardTransactions,
} from "../../shared/database/authorisations/transactions.js";
import { checkedRange } from "../../shared/domain/date-range.js";
import { endpoint, type Endpoint } from "../kit/endpoint.js";

const listEndpoint = endpoint(
  listCardTransactionsRoute,
  async ({ database }, { params: { cardId }, query, caller, ok, refuse }) => {
    const range = checkedRange(query);
    if (!range.ok) return refuse(range);
    const refused = await whyNoCard(database, caller, cardId);
    if (refused !== undefined) return refuse(refused);
    return ok(await listCardTransactions(database, cardId, range.value, query));
  },
);

const countEndpoint = endpoint(
  countCardTransactionsRoute,
  async ({ database }, { params: { cardId }, query, caller, ok, refuse }) => {
    const range = checkedRange(query);
    if (!range.ok) return refuse(range);
    const refused = await whyNoCard(database, caller, cardId);
    if (refused !== undefined) return refuse(refused);
    return ok({ value: await countCardTransactions(database, cardId, range.value) });
  },
);

export const cardTransactionEndpoints: readonly Endpoint[] = [listEndpoint, countEndpoint];
