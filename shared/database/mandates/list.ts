/** A partner's mandates, of wallets and of stores. */
import { z } from "zod";
import { AnyMandate, type MandateFilter } from "../../contracts/mandates/list.js";
import type { Page, Paginated } from "../../contracts/pages.js";
import type { DateRange } from "../../domain/date-range.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Reader } from "../access/wallet-access.js";
import type { Queryable } from "../platform/database.js";
import { readPage } from "../platform/pages.js";

/** By date of creation; without a beginning, the ninety days before the end. */
export const listMandates = (
  database: Queryable,
  partnerKey: string,
  { fromDate, toDate }: DateRange,
  { status, walletId, storeId }: MandateFilter,
  page: Page,
): Promise<Paginated<AnyMandate>> =>
  readPage(
    database,
    {
      item: AnyMandate,
      record: "borsello.mandate_record(m)",
      from: `borsello.mandate as m where partner_key = $1
        and creation_date >= coalesce($2::timestamptz,
          coalesce($3::timestamptz, borsello.platform_now()) - interval '90 days')
        and ($3::timestamptz is null or creation_date <= $3)
        and ($4::text is null or status = $4) and ($5::uuid is null or wallet_id = $5)
        and ($6::uuid is null or store_id = $6)`,
      order: "creation_date, mandate_id",
      values: [partnerKey, fromDate, toDate, status ?? null, walletId ?? null, storeId ?? null],
    },
    page,
  );

/** Another partner's is unknown; operators read every partner's. */
export const findAnyMandate = async (
  database: Queryable,
  { partnerKey, isOperator }: Reader,
  mandateId: string,
): Promise<Outcome<AnyMandate, "MandateNotFound">> => {
  const found = await database.row(
    z.object({ mandate: AnyMandate }),
    `select borsello.mandate_record(m) as mandate from borsello.mandate as m
     where mandate_id = $1 and (partner_key = $2 or $3)`,
    [mandateId, partnerKey, isOperator],
  );
  return found === undefined ? refusal("MandateNotFound", { mandateId }) : success(found.mandate);
};
