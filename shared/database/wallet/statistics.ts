/** Statistics of wallets: the counters added up, the first and last dates from the ends of their indexes. */
import { z } from "zod";
import { WalletStatistics } from "../../contracts/wallet/statistics.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Queryable } from "../platform/database.js";
import { findDealer, type DealerRefusal } from "../access/dealers.js";

const StatisticsRow = z.object({ statistics: WalletStatistics.nullable() });

const endsOf = (column: string): string => `
  (select min(${column}) from borsello.wallet where originating_dealer_key = d.dealer_key)
    as first_${column},
  (select max(${column}) from borsello.wallet where originating_dealer_key = d.dealer_key)
    as last_${column}`;

const dates = ["creation_date", "last_usage_date", "last_update_date"] as const;

const dateFields = {
  creation_date: "Creation",
  last_usage_date: "Usage",
  last_update_date: "Update",
} as const;

/** Null where nothing was ever counted: no counter is there before the first wallet. */
const statisticsOf = (condition: string): string => `
  with counted as (
    select count(*) as rows, sum(active) as active, sum(suspended) as suspended,
      sum(closed) as closed, sum(iban_validated) as iban_validated,
      sum(iban_pending) as iban_pending, sum(iban_absent) as iban_absent,
      sum(available_cents)::bigint as available_cents
    from borsello.wallet_count as d where ${condition}
  ), dated as (
    select ${dates.map((column) => `min(first_${column}) as first_${column}, max(last_${column}) as last_${column}`).join(", ")}
    from (
      select ${dates.map(endsOf).join(", ")} from borsello.dealer as d where ${condition}
    ) as dealers
  )
  select case when counted.rows > 0 then json_build_object(
    'walletsCount', active + suspended + closed, 'walletsOpen', active,
    'walletsSuspended', suspended, 'walletsClosed', closed,
    'walletsIbanValidated', iban_validated, 'walletsPendingIbanValidation', iban_pending,
    'walletsWithoutIban', iban_absent,
    'walletsTotalAvailableBalance', borsello.money(available_cents),
    ${dates
      .map(
        (column) => `
    'walletsEarliest${dateFields[column]}Date', borsello.iso(first_${column}),
    'walletsLatest${dateFields[column]}Date', borsello.iso(last_${column})`,
      )
      .join(", ")}) end as statistics
  from counted, dated`;

const found = (
  statistics: WalletStatistics | null | undefined,
  asked: Readonly<Record<string, string>>,
): Outcome<WalletStatistics, "StatisticsNotFound"> =>
  statistics == null ? refusal("StatisticsNotFound", asked) : success(statistics);

export const partnerStatistics = async (
  database: Queryable,
  partnerKey: string,
): Promise<Outcome<WalletStatistics, "StatisticsNotFound">> => {
  const statement = statisticsOf("d.partner_key = $1");
  const row = await database.row(StatisticsRow, statement, [partnerKey]);
  return found(row?.statistics, { partnerKey });
};

export const dealerStatistics = async (
  database: Queryable,
  partnerKey: string,
  dealerKey: string,
): Promise<Outcome<WalletStatistics, DealerRefusal | "StatisticsNotFound">> => {
  const dealer = await findDealer(database, { partnerKey }, dealerKey);
  if (!dealer.ok) return dealer;
  const statement = statisticsOf("d.partner_key = $1 and d.dealer_key = $2");
  const row = await database.row(StatisticsRow, statement, [partnerKey, dealerKey]);
  return found(row?.statistics, { dealerKey });
};
