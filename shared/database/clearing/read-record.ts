/** Reads a line of the processor's file: what it is about, whom it debits, which zone it is of. */
import { IncomingFee, IncomingPresentment } from "../../contracts/clearing/incoming-records.js";
import { isInEuroArea } from "../../domain/clearing/euro-area.js";
import type { ClearingFileType } from "../../domain/clearing/file-names.js";
import { kindOf, type RecordKind } from "../../domain/clearing/record-kinds.js";
import { parsedJson } from "../../platform/parsed-json.js";

export interface ReadRecord {
  readonly itemId: string;
  readonly cardId: string;
  readonly kind: RecordKind;
  readonly isEuroZone: boolean;
  readonly amountCents: bigint;
  readonly feeCents: bigint;
  readonly currency: string;
  readonly transactionType: number | null;
  readonly isReversal: boolean;
  readonly transactionDate: string | null;
  readonly merchantName: string | null;
  readonly merchantCountry: string | null;
  readonly mcc: number | null;
  readonly feeType: string | null;
  readonly feeCode: string | null;
  readonly feeDescription: string | null;
}

const readPresentment = (record: unknown): ReadRecord | undefined => {
  const read = IncomingPresentment.safeParse(record);
  if (!read.success) return undefined;
  const { presentmentId, amount, feeAmount, type, transactionDate, ...more } = read.data;
  return {
    ...more,
    itemId: presentmentId,
    kind: kindOf(read.data),
    isEuroZone: isInEuroArea(more.merchantCountry, transactionDate),
    amountCents: amount,
    feeCents: feeAmount,
    transactionType: type,
    transactionDate,
    feeType: null,
    feeCode: null,
    feeDescription: null,
  };
};

/** All of it is a fee, which the issuer charges, at home in the euro area. */
const readFee = (record: unknown): ReadRecord | undefined => {
  const read = IncomingFee.safeParse(record);
  if (!read.success) return undefined;
  const { feeId, amount, ...more } = read.data;
  return {
    ...more,
    itemId: feeId,
    kind: "Debit",
    isEuroZone: true,
    amountCents: 0n,
    feeCents: amount,
    transactionType: null,
    isReversal: false,
    transactionDate: null,
    merchantName: null,
    merchantCountry: null,
    mcc: null,
  };
};

/** Undefined: it can't be read. */
export const readRecord = (type: ClearingFileType, line: string): ReadRecord | undefined =>
  (type === "CLEARINGMULTISCHEME" ? readPresentment : readFee)(parsedJson(line));
