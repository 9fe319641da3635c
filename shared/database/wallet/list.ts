/** Pages of a partner's wallets by creation date, counted by the counters: the same cost at any number of wallets. */
import { z } from "zod";
import type { Page, Paginated } from "../../contracts/pages.js";
import { Wallet, type walletStatuses } from "../../contracts/wallet/wallets.js";
import type { DateRange } from "../../domain/date-range.js";
import type { Queryable } from "../platform/database.js";

type WalletStatus = (typeof walletStatuses)[number];

const FoundPage = z.object({ totalCount: z.int(), items: z.array(Wallet) });

/** The end of a statement: `page` has the page's wallets, `total` the number of all. */
export const pageOf = (total: string): string => `
  select (${total})::integer as "totalCount", coalesce((
    select json_agg(borsello.wallet_record(w) order by w.creation_date, w.wallet_id)
    from page join borsello.wallet as w using (wallet_id)), '[]') as items`;

/** Where a page begins, counted in wallets; a bigint, as it may be above what an integer holds. */
const offsetOf = ({ pageSize, pageNumber }: Page): bigint => BigInt(pageSize) * BigInt(pageNumber);

/** Runs a statement whose first values are partner, page size and offset. */
export const readWalletPage = async (
  database: Queryable,
  statement: string,
  partnerKey: string,
  page: Page,
  more: readonly unknown[] = [],
): Promise<Paginated<Wallet>> => {
  const values = [partnerKey, page.pageSize, offsetOf(page), ...more];
  const found = await database.row(FoundPage, statement, values);
  if (found === undefined) throw new Error("A page of wallets was not answered.");
  return { totalCount: found.totalCount, limitCount: page.pageSize, items: found.items };
};

const inOrder = "order by creation_date, wallet_id";

/** $4 and $5 are the ends; either may be null. Whole days come from the counters, their edges from the index. */
const countInRange = `
  select coalesce((
      select sum(wallets) from borsello.wallet_day
      where partner_key = $1 and ($4::timestamptz is null or day > ($4 at time zone 'UTC')::date)
        and ($5::timestamptz is null or day < ($5 at time zone 'UTC')::date)), 0)
    + (select count(*) from borsello.wallet
      where partner_key = $1 and creation_date >= $4 and creation_date < least(
        $5 + interval '1 millisecond',
        (($4 at time zone 'UTC')::date + 1)::timestamp at time zone 'UTC'))
    + (select count(*) from borsello.wallet
      where partner_key = $1 and creation_date <= $5 and creation_date >= greatest(
        (($4 at time zone 'UTC')::date + 1)::timestamp at time zone 'UTC',
        ($5 at time zone 'UTC')::date::timestamp at time zone 'UTC'))`;

/** From here on, whole days are stepped over by their counters instead of wallet by wallet. */
const deepOffset = 5_000n;

/** The last day that begins at or before the page, and how many wallets lie before that day. */
const deepStart = `
  start as (
    select day, before from (
      select day, sum(sum(wallets)) over (order by day) - sum(wallets) as before
      from borsello.wallet_day where partner_key = $1 group by day
    ) as days
    where before <= $3 order by day desc limit 1
  ),`;

/** Bounds are written only where they are given, so that the index is entered at the right place. */
const listStatement = ({ fromDate, toDate }: DateRange, isDeep: boolean): string => {
  const steps = isDeep && fromDate === null;
  return `
  with ${steps ? deepStart : ""} page as (
    select wallet_id from borsello.wallet
    where partner_key = $1 ${fromDate === null ? "" : "and creation_date >= $4"}
      ${toDate === null ? "" : "and creation_date <= $5"}
      ${steps ? "and creation_date >= (select day::timestamp at time zone 'UTC' from start)" : ""}
    ${inOrder} limit $2 offset $3 ${steps ? "- (select before from start)::bigint" : ""}
  ) ${pageOf(countInRange)}`;
};

export const listWallets = (
  database: Queryable,
  partnerKey: string,
  range: DateRange,
  page: Page,
): Promise<Paginated<Wallet>> => {
  const statement = listStatement(range, offsetOf(page) >= deepOffset);
  return readWalletPage(database, statement, partnerKey, page, [range.fromDate, range.toDate]);
};

export interface WalletFilter {
  readonly statuses: readonly WalletStatus[];
  readonly neverUsed: boolean;
}

const countColumns = { Active: "active", Suspended: "suspended", Closed: "closed" } as const;

/** Each status is a range of the index by itself: as many of each as the page can reach, then in one order. */
const filterStatement = ({ statuses, neverUsed }: WalletFilter): string => {
  const unused = neverUsed ? "and last_usage_date is null" : "";
  const parts = statuses.map(
    (status) => `(
      select wallet_id, creation_date from borsello.wallet
      where partner_key = $1 and status = '${status}' ${unused}
      ${inOrder} limit $2::bigint + $3::bigint)`,
  );
  const columns = statuses.map((status) => `${countColumns[status]}${neverUsed ? "_unused" : ""}`);
  return `
  with page as (
    select wallet_id from (${parts.join(" union all ")}) as first_of_each
    ${inOrder} limit $2 offset $3
  ) ${pageOf(`select coalesce(sum(${columns.join(" + ")}), 0) from borsello.wallet_count where partner_key = $1`)}`;
};

/** Wallets in these statuses; at least one status. */
export const filterWallets = (
  database: Queryable,
  partnerKey: string,
  filter: WalletFilter,
  page: Page,
): Promise<Paginated<Wallet>> =>
  readWalletPage(database, filterStatement(filter), partnerKey, page);
