/** Operation groups as callers read them; what changes them is in `commands.ts`. */
import { z } from "zod";
import type { Page, Paginated } from "../../contracts/pages.js";
import { OperationGroup } from "../../contracts/operations/groups.js";
import type { DateRange } from "../../domain/date-range.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { LimitBounds } from "../ledger/limit-bounds.js";
import type { Queryable } from "../platform/database.js";
import { readPage } from "../platform/pages.js";

const Record = z.object({ record: OperationGroup });
type Group = z.infer<typeof OperationGroup>;

/** Undefined id: the pending one. The caller has checked whose wallet it is. */
export const findGroup = async (
  database: Queryable,
  walletId: string,
  operationGroupId: string | undefined,
  bounds: LimitBounds,
): Promise<Outcome<Group, "OperationGroupNotFound">> => {
  const found = await database.row(
    Record,
    `select borsello.operation_group_record(g,
       json_populate_record(null::borsello.limit_bounds, $3::json)) as record
     from borsello.operation_group as g
     where wallet_id = $1 and case when $2::uuid is null
       then status = 'Initialized' and expiry_date > borsello.platform_now()
       else operation_group_id = $2 end`,
    [walletId, operationGroupId ?? null, JSON.stringify(bounds)],
  );
  return found === undefined
    ? refusal("OperationGroupNotFound", { operationGroupId: operationGroupId ?? "pending" })
    : success(found.record);
};

export const listGroups = (
  database: Queryable,
  walletId: string,
  { fromDate, toDate }: DateRange,
  page: Page,
  bounds: LimitBounds,
): Promise<Paginated<Group>> =>
  readPage(
    database,
    {
      item: OperationGroup,
      record: `borsello.operation_group_record(g,
        json_populate_record(null::borsello.limit_bounds, $4::json))`,
      from: `borsello.operation_group as g
        where wallet_id = $1 and ($2::timestamptz is null or creation_date >= $2)
          and ($3::timestamptz is null or creation_date <= $3)
          and ($4::json is not null)`,
      order: "creation_date, operation_group_id",
      values: [walletId, fromDate, toDate, JSON.stringify(bounds)],
    },
    page,
  );
