/** Searching a partner's wallets: each way in is an index, and no search reads the table as a whole. */
import type { Page, Paginated } from "../../contracts/pages.js";
import type { Wallet } from "../../contracts/wallet/wallets.js";
import { partialFields, type PartialField, type WalletSearch } from "../../domain/wallet/search.js";
import type { Queryable } from "../platform/database.js";
import { filterWallets, listWallets, pageOf, readWalletPage } from "./list.js";

/** Each field's column, and the letter that its keys in the search index begin with. */
const partial: Readonly<Record<PartialField, { readonly column: string; readonly key: string }>> = {
  firstName: { column: "first_name", key: "f" },
  lastName: { column: "last_name", key: "l" },
  phoneNumber: { column: "phone_number", key: "p" },
  email: { column: "email", key: "e" },
};

interface Statement {
  readonly text: string;
  /** $4 and on; the first three are partner, page size and offset. */
  readonly values: readonly unknown[];
}

/** Tax id and IBAN are unique: they lead to one wallet at most. */
const byUniqueText = "from borsello.wallet as w";

/**
 * The sub-select hides the query from the planner, who would else read the whole table for a part
 * that it takes for common; `offset 0` makes it look each wallet up by its key.
 */
const byParts = (queries: readonly string[]): string => `
  from borsello.wallet_search as s cross join lateral (
    select * from borsello.wallet as w where w.wallet_id = s.wallet_id offset 0) as w
  where s.search_keys @@ (select ${queries.join(" && ")}) and`;

export const searchStatement = (search: WalletSearch): Statement => {
  const values: unknown[] = [];
  const value = (given: unknown): string => `$${values.push(given) + 3}`;
  const conditions = ["w.partner_key = $1"];
  const queries: string[] = [];
  if (search.taxId !== null) conditions.push(`w.tax_id = ${value(search.taxId)}`);
  if (search.iban !== null) conditions.push(`w.iban = ${value(search.iban)}`);
  for (const field of partialFields) {
    const spellings = search.parts[field];
    if (spellings === undefined) continue;
    const { column, key } = partial[field];
    const places = spellings.map(value);
    const anyOf = (terms: readonly string[], or: string): string => `(${terms.join(or)})`;
    const query = (place: string): string => `borsello.search_query($1, '${key}', ${place})`;
    const isIn = (place: string): string =>
      `position(borsello.folded(${place}) in borsello.folded(w.${column})) > 0`;
    queries.push(anyOf(places.map(query), " || "));
    conditions.push(anyOf(places.map(isIn), " or "));
  }
  conditions.push(`w.status = any(${value(search.statuses)})`);
  if (search.neverUsed) conditions.push("w.last_usage_date is null");
  const isUnique = search.taxId !== null || search.iban !== null;
  const text = `
  with matching as materialized (
    select w.wallet_id, w.creation_date
    ${isUnique ? `${byUniqueText} where` : byParts(queries)} ${conditions.join(" and ")}
  ), page as (
    select wallet_id from matching order by creation_date, wallet_id limit $2 offset $3
  ) ${pageOf("select count(*) from matching")}`;
  return { text, values };
};

const everyStatus = 3;

export const searchWallets = (
  database: Queryable,
  partnerKey: string,
  search: WalletSearch,
  page: Page,
): Promise<Paginated<Wallet>> => {
  const { taxId, iban, parts, statuses, neverUsed } = search;
  if (taxId !== null || iban !== null || Object.keys(parts).length > 0) {
    const { text, values } = searchStatement(search);
    return readWalletPage(database, text, partnerKey, page, values);
  }
  return statuses.length === everyStatus && !neverUsed
    ? listWallets(database, partnerKey, { fromDate: null, toDate: null }, page)
    : filterWallets(database, partnerKey, { statuses, neverUsed }, page);
};
