/** The partner's harvestings as a list and a number, by date of creation. */
import { z } from "zod";
import { Operation } from "../../contracts/operations/operations.js";
import type { Page, Paginated } from "../../contracts/pages.js";
import type { HarvestingFilter } from "../../contracts/settlement/harvestings.js";
import type { DateRange } from "../../domain/date-range.js";
import { operationTypes } from "../../domain/operations/families.js";
import type { Queryable } from "../platform/database.js";
import { readPage } from "../platform/pages.js";

const from = `borsello.operation as o where wallet_id is null and partner_key = $1
  and ($2::timestamptz is null or creation_date >= $2)
  and ($3::timestamptz is null or creation_date <= $3)
  and ($4::text is null or type = $4) and ($5::text is null or status = $5)`;

const valuesOf = (
  partnerKey: string,
  { fromDate, toDate }: DateRange,
  { type, status }: HarvestingFilter,
) => [partnerKey, fromDate, toDate, type ?? null, status ?? null];

export const listHarvestings = (
  database: Queryable,
  partnerKey: string,
  range: DateRange,
  filter: HarvestingFilter,
  page: Page,
): Promise<Paginated<Operation>> =>
  readPage(
    database,
    {
      item: Operation,
      record: "borsello.operation_record(o)",
      from,
      order: "creation_date, operation_id",
      values: valuesOf(partnerKey, range, filter),
    },
    page,
  );

export const countHarvestings = async (
  database: Queryable,
  partnerKey: string,
  range: DateRange,
  filter: HarvestingFilter,
): Promise<number> =>
  (
    await database.row(
      z.object({ value: z.int() }),
      `select count(*)::integer as value from ${from}`,
      valuesOf(partnerKey, range, filter),
    )
  )?.value ?? 0;

/** Whether the partner has a harvesting of this id (and type). */
export const isHarvesting = async (
  database: Queryable,
  partnerKey: string,
  harvestingId: string,
  type: string,
): Promise<boolean> =>
  (await database.row(
    z.object({}),
    `select from borsello.operation
     where operation_id = $1 and partner_key = $2 and type = $3 and wallet_id is null`,
    [harvestingId, partnerKey, type],
  )) !== undefined;

const Stale = z.object({ partnerKey: z.string(), type: z.enum(operationTypes) });

/** Of which partners and types a harvesting has been open for minutes: whoever took members for it is gone. */
export const staleHarvestings = (database: Queryable) =>
  database.rows(
    Stale,
    `select distinct partner_key as "partnerKey", type from borsello.operation
     where wallet_id is null and status = 'Confirmed'
       and last_update_date < borsello.platform_now() - interval '5 minutes'`,
  );
