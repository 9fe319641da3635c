/** Figures of operations, added up from their counters: they cost the same however many there are. */
import { z } from "zod";
import { StoreTotal, type OperationsOverview } from "../../contracts/operations/statistics.js";
import {
  confirmedStatuses,
  operationStatuses,
  operationTypes,
  type OperationType,
} from "../../domain/operations/families.js";
import type { Queryable } from "../platform/database.js";

const StateRow = z.object({
  type: z.enum(operationTypes),
  status: z.enum(operationStatuses),
  total: z.int(),
  firstCreated: z.string().nullable(),
  lastCreated: z.string().nullable(),
  first: z.string().nullable(),
  last: z.string().nullable(),
});
type StateRow = z.output<typeof StateRow>;

const endOf = (direction: "asc" | "desc"): string => `(
  select borsello.iso(last_update_date) from borsello.operation as o
  where o.partner_key = $1 and o.type = counted.type and o.status = counted.status
    and wallet_id is not null and counted.total > 0
  order by last_update_date ${direction} limit 1)`;

/** The dates of a state are read from the two ends of its index. */
const overviewStatement = `
  with counted as (
    select type, status, sum(operations)::integer as total, min(min_creation_date) as first_created,
      max(max_creation_date) as last_created
    from borsello.operation_count where partner_key = $1 group by type, status
  )
  select type, status, total, borsello.iso(first_created) as "firstCreated",
    borsello.iso(last_created) as "lastCreated", ${endOf("asc")} as first, ${endOf("desc")} as last
  from counted`;

const end = (dates: readonly (string | null)[], place: 0 | -1): string | null =>
  dates
    .filter((date) => date !== null)
    .sort()
    .at(place) ?? null;

const overviewOf = (type: OperationType, rows: readonly StateRow[]): OperationsOverview => {
  const states = rows.filter((row) => row.type === type);
  const byStatus = new Map(states.map((row) => [row.status, row]));
  const figures = operationStatuses.flatMap((status): [string, number | string | null][] => {
    const { total = 0, first = null, last = null } = byStatus.get(status) ?? {};
    return [
      [`total${status}`, total],
      [`min${status}Date`, first],
      [`max${status}Date`, last],
    ];
  });
  return {
    type,
    ...Object.fromEntries(figures),
    minCreationDate: end(
      states.map(({ firstCreated }) => firstCreated),
      0,
    ),
    maxCreationDate: end(
      states.map(({ lastCreated }) => lastCreated),
      -1,
    ),
  };
};

export const operationsOverview = async (
  database: Queryable,
  partnerKey: string,
): Promise<OperationsOverview[]> => {
  const rows = await database.rows(StateRow, overviewStatement, [partnerKey]);
  return operationTypes.map((type) => overviewOf(type, rows));
};

/** Days of Europe/Rome, both included; undefined: no bound. */
export interface DayRange {
  readonly fromDate?: string | undefined;
  readonly toDate?: string | undefined;
}

const days = `borsello.store_operation_day
  where store_id = $1 and day >= coalesce($2::date, '-infinity')
    and day <= coalesce($3::date, 'infinity')`;

const Value = z.object({ value: z.int() });

export const countAtStore = async (
  database: Queryable,
  storeId: string,
  { fromDate, toDate }: DayRange,
  type: string | undefined,
  status: string | undefined,
): Promise<number> => {
  const counted = await database.row(
    Value,
    `select coalesce(sum(operations), 0)::integer as value from ${days}
       and ($4::text is null or type = $4) and ($5::text is null or status = $5)`,
    [storeId, fromDate ?? null, toDate ?? null, type ?? null, status ?? null],
  );
  return counted?.value ?? 0;
};

const totalStatement = `
  select borsello.money(coalesce(sum(amount_cents), 0)::bigint)::float8 as amount,
    coalesce(sum(operations), 0)::integer as count, latest.code as "reconciliationCode",
    latest.status, latest.day::text as date
  from (select) as asked left join (
    select code, status, day from borsello.reconciliation_group as g
    where store_id = $1 and day >= coalesce($2::date, '-infinity')
      and day <= coalesce($3::date, 'infinity') and exists (
        select from borsello.operation as harvesting
        where harvesting.reconciliation_id = g.reconciliation_id and harvesting.type = $4
          and harvesting.wallet_id is null)
    order by day desc, reconciliation_id desc limit 1
  ) as latest on true left join (
    select amount_cents, operations from ${days} and type = $4 and status = any($5)
  ) as counted on true
  group by latest.code, latest.status, latest.day`;

/** Of what was confirmed and not taken back, with the range's latest group that holds some of it. */
export const totalAtStore = async (
  database: Queryable,
  storeId: string,
  { fromDate, toDate }: DayRange,
  type: string,
): Promise<StoreTotal> => {
  const values = [storeId, fromDate ?? null, toDate ?? null, type, confirmedStatuses];
  const total = await database.row(StoreTotal, totalStatement, values);
  if (total === undefined) throw new Error("A sum has no row.");
  return total;
};
