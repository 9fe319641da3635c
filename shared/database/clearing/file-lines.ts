/** The records of a clearing file as lines of JSON, which PostgreSQL itself writes, page by page. */
import { z } from "zod";
import type { ClearingFileType } from "../../domain/clearing/file-names.js";
import type { Queryable } from "../platform/database.js";

/** Some hundred kilobytes: larger texts lie in the memory until all of it is looked through. */
const recordsPerPage = 100;

const Page = z.object({
  /** Null: there are no more. */
  lines: z.string().nullable(),
  count: z.bigint(),
  last: z.bigint().nullable(),
});

/** By key: a page begins where the last one ended, however many there are before it. */
const page = `
  select * from borsello.clearing_record
  where clearing_bookmark_id = $1 and type = $2 and partner_key = $3 and ordinal > $4
  order by ordinal limit $5`;

const common = `
  borsello.money(r.interchange_deduction_cents) as "interchangeDeduction",
  borsello.money(r.fee_deduction_cents) as "feeDeduction"`;

const clearingFields = `
  r.partner_key as "affiliateKey", r.transaction_id as "trxId", r.kind as "trxType",
  borsello.iso(r.transaction_date) as "trxDateTime", r.currency as "trxCurrency", ${common},
  r.item_id as "transactionId", null as "transactionSource", null as "cardSettlementSchema",
  null as "originalTransactionId", null as "originalTransactionDate",
  borsello.money(r.amount_cents) as "originalTransactionAmount",
  b.clearing_date as "settlementDate", r.customer_id as "customerId", r.account_id as "accountId",
  r.card_id as "cardId", r.pan_token as "panToken",
  borsello.money(r.amount_cents) as "billedAmount", r.currency as "billedCurrency",
  borsello.money(r.fee_cents) as "feeAmount", null as "merchantId",
  r.merchant_name as "merchantName", null as "merchantCity",
  r.merchant_country as "merchantCountry", r.mcc as "merchantClassificationCode",
  r.transaction_type as "transactionTypeCode", null as "transactionChannel",
  case when r.authorised_at is null then 'Unmatched' else 'Matched' end as "matchingDesignator",
  case when r.kind like 'Debit%' then 'Debit' else 'Credit' end as "financialFlowFlag",
  borsello.iso(r.received_at) as "processingTimestamp",
  borsello.iso(r.authorised_at) as "authorizationTimestamp",
  b.clearing_bookmark_id as "clearingId", null as "sendingInstitutionIdentification",
  r.is_reversal as "reversalIndicator", r.currency as "originalTransactionCurrency",
  null as "terminalId", null as "entryMode"`;

const feeFields = `
  r.partner_key as "affiliateKey", r.currency as "trxCurrency", ${common},
  borsello.money(r.amount_cents) as "billedAmount", r.currency as "billedCurrency",
  null as "feeSource", null as "cardSettlementSchema",
  case when r.kind like 'Debit%' then 'Debit' else 'Credit' end as "financialFlowFlag",
  r.is_reversal as "reversalIndicator", null as "matchingDesignator",
  b.clearing_date as "settlementDate", r.customer_id as "customerId", r.account_id as "accountId",
  r.card_id as "cardId", r.pan_token as "panToken", borsello.money(r.fee_cents) as "feeAmount",
  r.currency as "feeCurrency", borsello.iso(r.received_at) as "processingTimestamp",
  r.fee_type as "feeType", r.fee_code as "feeCode", null as "feeProfile",
  r.fee_description as "feeDescription", borsello.rome_date(r.received_at) as "feeDate",
  r.item_id as "feeId", borsello.money(r.fee_cents) as "reconciliationAmount",
  r.currency as "reconciliationCurrency", null as "schemaProcessingDate",
  null as "sendingInstitutionIdentificationCode", null as "feeTariffCode",
  null as "originalIdentifier"`;

const linesOf = (fields: string): string => `
  select string_agg(row_to_json(line)::text || E'\\n', '' order by r.ordinal) as lines,
    count(*), max(r.ordinal) as last
  from (${page}) as r
    join borsello.clearing_bookmark as b using (clearing_bookmark_id)
    cross join lateral (select ${fields}) as line`;

const queries: Readonly<Record<ClearingFileType, string>> = {
  CLEARINGMULTISCHEME: linesOf(clearingFields),
  FEEMULTISCHEME: linesOf(feeFields),
};

export interface LinesPage {
  /** Each with its end of line. */
  readonly lines: string;
  readonly records: number;
}

export interface FileOfRecords {
  readonly bookmarkId: string;
  readonly type: ClearingFileType;
  readonly affiliateKey: string;
}

/** In the order of the processor's file. */
export async function* clearingLines(
  database: Queryable,
  { bookmarkId, type, affiliateKey }: FileOfRecords,
): AsyncGenerator<LinesPage, void, undefined> {
  for (let after: bigint | null = 0n; after !== null;) {
    const values: unknown[] = [bookmarkId, type, affiliateKey, after, recordsPerPage];
    const found: z.infer<typeof Page> | undefined = await database.row(Page, queries[type], values);
    if (found?.lines != null) yield { lines: found.lines, records: Number(found.count) };
    after = found?.last ?? null;
  }
}
