/** Clearing files: in the published shape, the same bytes however often they are written, whole or not there. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { databaseDocuments } from "../../../functions/kit/document-store.js";
import { sweepDocuments } from "../../../functions/schedule/document-sweep.js";
import {
  ClearingFileHeader,
  ClearingRecord,
  FeeRecord,
} from "../../../shared/contracts/clearing/file-lines.js";
import { exportNextFile, type ExportMeans } from "../../../shared/database/clearing/exports.js";
import { doomClearingFile } from "../../../shared/database/clearing/files.js";
import type { Database } from "../../../shared/database/platform/database.js";
import type { DocumentStore } from "../../../shared/documents/documents.js";
import { noFaultPoints } from "../../../shared/platform/fault-points.js";
import {
  clearingDate,
  deliveredFiles,
  hostileName,
  issuerKey,
  writeSummedClearing,
} from "../../support/clearing/exported.js";
import { countOf } from "../../support/wallet/bank-fixtures.js";
import { openWalletTest, type WalletTest } from "../../support/wallet/wallet-fixtures.js";

let clearings: WalletTest;
let database: Database;
let means: ExportMeans & { readonly documents: DocumentStore };

beforeAll(async () => {
  clearings = await openWalletTest();
  ({ database } = clearings);
  means = { database, documents: databaseDocuments(database), faults: noFaultPoints };
});
afterAll(() => clearings.end());

const affiliates = ["acme", "globex", "initech"];
/** More than a page, and no whole number of pages. */
const records = 310;

let day = 0;
/** A clearing of a day of its own. */
const aClearing = (size = { records, affiliates }): Promise<string> => {
  day += 1;
  return writeSummedClearing(database, size, `2026-10-${String(day).padStart(2, "0")}`);
};

const exportAll = async (bookmarkId: string, keys: string[] | null = null): Promise<number> => {
  for (let files = 0; ; files += 1) {
    const { isOver, fault } = await exportNextFile(means, bookmarkId, keys);
    if (fault !== undefined) throw new Error(fault);
    if (isOver) return files;
  }
};

const textOf = async (documentKey: string): Promise<string> => {
  const document = await databaseDocuments(database).get(documentKey);
  if (document === undefined) throw new Error(`${documentKey} is not there`);
  return Buffer.from(document.bytes).toString();
};

const documentsUnder = (bookmarkId: string): Promise<number> =>
  countOf(
    database,
    `select count(distinct document_key) from borsello.document_piece
     where split_part(document_key, '/', 2) in (
       select outgoing_clearing_id::text from borsello.outgoing_clearing
       where clearing_bookmark_id = $1)`,
    [bookmarkId],
  );

const Sums = z.object({
  billed: z.bigint(),
  fee: z.bigint(),
  interchangeDeduction: z.bigint(),
  feeDeduction: z.bigint(),
});

const sumsInDatabase = (bookmarkId: string, type: string, affiliateKey: string) =>
  database.row(
    Sums,
    `select sum(amount_cents)::bigint as billed, sum(fee_cents)::bigint as fee,
       sum(interchange_deduction_cents)::bigint as "interchangeDeduction",
       sum(fee_deduction_cents)::bigint as "feeDeduction"
     from borsello.clearing_record
     where clearing_bookmark_id = $1 and type = $2 and partner_key = $3`,
    [bookmarkId, type, affiliateKey],
  );

const cents = (amount: number): bigint => BigInt(Math.round(amount * 100));

const sumsOf = (lines: readonly z.output<typeof ClearingRecord | typeof FeeRecord>[]) => {
  const sum = (
    of: "billedAmount" | "feeAmount" | "interchangeDeduction" | "feeDeduction",
  ): bigint => lines.reduce((total, line) => total + cents(line[of]), 0n);
  return {
    billed: sum("billedAmount"),
    fee: sum("feeAmount"),
    interchangeDeduction: sum("interchangeDeduction"),
    feeDeduction: sum("feeDeduction"),
  };
};

test("each affiliate gets its records in the published shape, in their order, under a header that counts them", async () => {
  const bookmarkId = await writeSummedClearing(database, { records, affiliates });
  expect(await exportAll(bookmarkId)).toBe(6);
  const files = await deliveredFiles(database, bookmarkId);
  expect(files).toHaveLength(6);
  for (const { affiliateKey, type, documentKey, sha256, bytes } of files) {
    const text = await textOf(documentKey);
    expect(createHash("sha256").update(text).digest()).toEqual(sha256);
    expect(BigInt(Buffer.byteLength(text))).toBe(bytes);
    const [first = "", ...rest] = text.split("\n");
    expect(rest.pop(), "the last line is ended, too").toBe("");
    const header = ClearingFileHeader.parse(JSON.parse(first));
    expect(header).toEqual({
      ...{ issuerKey, affiliateKey, clearingDate, type, version: "1.0" },
      fileName: `borsello_20261120_${type}_${affiliateKey}.jsonl`,
      declaredRecordsInFile: records,
    });
    const schema = type === "CLEARINGMULTISCHEME" ? ClearingRecord : FeeRecord;
    const lines = rest.map((line) => {
      const value: unknown = JSON.parse(line);
      expect(Object.keys(z.looseObject({}).parse(value))).toEqual(Object.keys(schema.shape));
      return schema.parse(value);
    });
    expect(lines).toHaveLength(records);
    expect(new Set(lines.map((line) => line.affiliateKey))).toEqual(new Set([affiliateKey]));
    expect(sumsOf(lines)).toEqual(await sumsInDatabase(bookmarkId, type, affiliateKey));
    const numbers = lines.map((line) =>
      Number(("feeId" in line ? line.feeId : line.transactionId).slice(bookmarkId.length + 1)),
    );
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
    for (const line of lines)
      expect("feeId" in line ? line.feeDescription : line.merchantName).toBe(hostileName);
  }
});

test("a record shows what is known of it, and null for what is not", async () => {
  const bookmarkId = await aClearing({ records: 2, affiliates: ["acme"] });
  await exportAll(bookmarkId);
  const [clearing, fees] = await deliveredFiles(database, bookmarkId);
  const second = async (documentKey = ""): Promise<unknown> =>
    JSON.parse((await textOf(documentKey)).split("\n")[2] ?? "");
  expect(await second(clearing?.documentKey)).toMatchObject({
    trxId: "trx-2",
    trxType: "DebitReversal",
    trxDateTime: "2026-11-20T22:59:59.900Z",
    transactionId: `${bookmarkId}-2`,
    billedAmount: 0.14,
    originalTransactionAmount: 0.14,
    feeAmount: 0.02,
    interchangeDeduction: 0.02,
    feeDeduction: 0,
    merchantCountry: "ITA",
    merchantClassificationCode: 5942,
    transactionTypeCode: 0,
    matchingDesignator: "Matched",
    authorizationTimestamp: "2026-11-19T08:00:00.000Z",
    financialFlowFlag: "Debit",
    reversalIndicator: true,
    clearingId: bookmarkId,
    terminalId: null,
    transactionSource: null,
  });
  expect(await second(fees?.documentKey)).toMatchObject({
    billedAmount: 0,
    feeAmount: 0.02,
    reconciliationAmount: 0.02,
    feeType: "Membership",
    feeCode: "MF2",
    // Half past midnight in Rome.
    feeDate: "2026-11-21",
    feeId: `${bookmarkId}-2`,
    panToken: "999999-2",
    matchingDesignator: null,
  });
});

test("written anew, a file has the same bytes, and of the former one nothing stays", async () => {
  const bookmarkId = await aClearing();
  await exportAll(bookmarkId);
  const before = await deliveredFiles(database, bookmarkId);
  await database.execute(
    "update borsello.outgoing_clearing set delivered_at = null where clearing_bookmark_id = $1",
    [bookmarkId],
  );
  await exportAll(bookmarkId);
  const after = await deliveredFiles(database, bookmarkId);
  const bytesOf = (files: typeof after) => files.map(({ sha256 }) => sha256.toString("hex"));
  expect(bytesOf(after)).toEqual(bytesOf(before));
  await sweepDocuments(means, 0);
  expect(await documentsUnder(bookmarkId)).toBe(6);
  for (const { documentKey } of after) expect(await textOf(documentKey)).not.toBe("");
});

test("what dies between the bytes and the note of them is written anew, and its bytes go", async () => {
  const bookmarkId = await aClearing({ records: 3, affiliates: ["acme"] });
  const dying = {
    hit: () => {
      throw new Error("killed");
    },
  };
  await expect(exportNextFile({ ...means, faults: dying }, bookmarkId, null)).rejects.toThrow();
  expect(await deliveredFiles(database, bookmarkId)).toEqual([]);
  expect(await documentsUnder(bookmarkId)).toBe(1);
  expect(await exportAll(bookmarkId)).toBe(2);
  await sweepDocuments(means, 0);
  expect(await documentsUnder(bookmarkId)).toBe(2);
});

test("written by several at once, each file is there once and whole", async () => {
  const bookmarkId = await aClearing();
  await Promise.all([1, 2, 3].map(() => exportAll(bookmarkId)));
  const files = await deliveredFiles(database, bookmarkId);
  expect(files).toHaveLength(6);
  await sweepDocuments(means, 0);
  expect(await documentsUnder(bookmarkId)).toBe(6);
  for (const { documentKey, sha256 } of files)
    expect(
      createHash("sha256")
        .update(await textOf(documentKey))
        .digest(),
    ).toEqual(sha256);
});

test("where the records are not those of the sums, there is a fault and no file", async () => {
  const bookmarkId = await aClearing({ records: 3, affiliates: ["acme"] });
  await database.execute(
    "delete from borsello.clearing_record where clearing_bookmark_id = $1 and ordinal = 2",
    [bookmarkId],
  );
  expect(await exportNextFile(means, bookmarkId, null)).toEqual({
    isOver: false,
    fault: expect.stringMatching(
      /_CLEARINGMULTISCHEME_acme\.jsonl would have 2 records/,
    ) as unknown,
  });
  expect(await deliveredFiles(database, bookmarkId)).toEqual([]);
  expect(await documentsUnder(bookmarkId)).toBe(0);
});

test("only the files of those affiliates are written that were asked for", async () => {
  const bookmarkId = await aClearing({ records: 1, affiliates });
  expect(await exportAll(bookmarkId, ["globex"])).toBe(2);
  expect(await exportAll(bookmarkId, ["globex", "nobody"])).toBe(0);
  const keys = (await deliveredFiles(database, bookmarkId)).map(({ affiliateKey }) => affiliateKey);
  expect(keys).toEqual(["globex", "globex"]);
  expect(await exportAll(bookmarkId)).toBe(4);
});

test("a clearing that is deleted takes its file along", async () => {
  const bookmarkId = await aClearing({ records: 1, affiliates: ["acme"] });
  await exportAll(bookmarkId);
  const [file] = await deliveredFiles(database, bookmarkId);
  await database.transaction((tx) => doomClearingFile(tx, file?.outgoingClearingId ?? ""));
  await sweepDocuments(means, 0);
  expect(await databaseDocuments(database).get(file?.documentKey ?? "")).toBeUndefined();
});
