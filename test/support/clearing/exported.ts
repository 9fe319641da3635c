/** A clearing that is imported and summed, and waits for its files: written straight into the tables. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { clearingFileName, clearingFileTypes } from "../../../shared/domain/clearing/file-names.js";
import type { Queryable } from "../../../shared/database/platform/database.js";

export interface ClearingSize {
  /** How many records of each type each affiliate has. */
  readonly records: number;
  readonly affiliates: readonly string[];
}

export const clearingDate = "2026-11-20";
export const issuerKey = "borsello";

/** What a merchant's name may be made of, where a line of JSON may not. */
export const hostileName = 'Caffè "Da Gino" \\ \n\t 東京 \u2028';

const insertRecords = `
  insert into borsello.clearing_record (incoming_clearing_id, ordinal, clearing_bookmark_id, type,
    partner_key, item_id, card_id, account_id, customer_id, pan_token, kind, is_euro_zone,
    amount_cents, fee_cents, interchange_deduction_cents, fee_deduction_cents, currency,
    transaction_id, transaction_type, is_reversal, transaction_date, authorised_at, received_at,
    merchant_name, merchant_country, mcc, fee_type, fee_code, fee_description)
  select $1::uuid, n, $2::uuid, $3::text, ($4::text[])[1 + n % cardinality($4)], $2::uuid || '-' || n,
    gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), case when n % 5 > 0 then '999999-' || n end,
    kind, n % 3 = 0, case when $5::boolean then n * 7 else 0 end, case when $5::boolean then n % 4 else n end,
    case when $5::boolean then n else 0 end, n % 2, 'EUR', case when $5::boolean then 'trx-' || n end,
    case when $5::boolean then 0 end, kind like '%Reversal',
    case when $5::boolean then '2026-11-20T22:59:59.9Z'::timestamptz end,
    case when $5 and n % 2 = 0 then '2026-11-19T08:00:00Z'::timestamptz end,
    '2026-11-20T23:30:00Z', case when $5::boolean then $6::text end, case when $5::boolean then 'ITA' end,
    case when $5::boolean then 5942 end, case when not $5::boolean then 'Membership' end,
    case when not $5::boolean then 'MF' || n end, case when not $5::boolean then $6::text end
  from (
    select n, (array['Debit', 'DebitReversal', 'Credit', 'CreditReversal'])[1 + n / 2 % 4] as kind
    from generate_series(1, $7::integer) as n
  ) as numbered`;

/** Resolves to the bookmark's id. */
export const writeSummedClearing = async (
  database: Queryable,
  { records, affiliates }: ClearingSize,
  date = clearingDate,
): Promise<string> => {
  const bookmarkId = randomUUID();
  await database.execute(
    `insert into borsello.clearing_bookmark
       (clearing_bookmark_id, issuer_key, clearing_date, status, mode, start_date)
     values ($1, $2, $3, 'Exporting', 'Full', now())`,
    [bookmarkId, issuerKey, date],
  );
  for (const type of clearingFileTypes) {
    const isClearing = type === "CLEARINGMULTISCHEME";
    const incomingId = randomUUID();
    const count = records * affiliates.length;
    await database.execute(
      `insert into borsello.incoming_clearing
         (incoming_clearing_id, clearing_bookmark_id, type, file_sequence_number, file_name)
       values ($1, $2, $3, 1, 'incoming')`,
      [incomingId, bookmarkId, type],
    );
    await database.execute(insertRecords, [
      ...[incomingId, bookmarkId, type, affiliates, isClearing, hostileName, count],
    ]);
    for (const affiliateKey of affiliates)
      await database.execute(
        `insert into borsello.outgoing_clearing
           (clearing_bookmark_id, partner_key, type, file_name, available_records)
         values ($1, $2, $3, $4, $5)`,
        [
          ...[bookmarkId, affiliateKey, type],
          clearingFileName({ issuerKey, affiliateKey, clearingDate: date, type }),
          records,
        ],
      );
  }
  return bookmarkId;
};

const Delivered = z.object({
  outgoingClearingId: z.string(),
  affiliateKey: z.string(),
  type: z.enum(clearingFileTypes),
  documentKey: z.string(),
  sha256: z.instanceof(Buffer),
  bytes: z.bigint(),
});

export const deliveredFiles = (database: Queryable, bookmarkId: string) =>
  database.rows(
    Delivered,
    `select outgoing_clearing_id as "outgoingClearingId", partner_key as "affiliateKey", type,
       document_key as "documentKey", sha256, byte_count as bytes
     from borsello.outgoing_clearing
     where clearing_bookmark_id = $1 and delivered_at is not null order by partner_key, type`,
    [bookmarkId],
  );

const Outgoing = Delivered.pick({ outgoingClearingId: true, affiliateKey: true, type: true });
export type SummedOutgoing = z.output<typeof Outgoing>;

/** Whether its file is there or not. */
export const outgoingOf = (database: Queryable, bookmarkId: string): Promise<SummedOutgoing[]> =>
  database.rows(
    Outgoing,
    `select outgoing_clearing_id as "outgoingClearingId", partner_key as "affiliateKey", type
     from borsello.outgoing_clearing where clearing_bookmark_id = $1`,
    [bookmarkId],
  );
