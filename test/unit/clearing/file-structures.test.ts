/** The lines of clearing files have the published fields, in their order, and the examples are such lines. */
import { expect, test } from "vitest";
import type { z } from "zod";
import {
  ClearingFileHeader,
  ClearingRecord,
  FeeRecord,
} from "../../../shared/contracts/clearing/file-lines.js";
import { exampleLines } from "../../../shared/contracts/clearing/structures.js";
import { clearingFileName } from "../../../shared/domain/clearing/file-names.js";

/** Card seed, 4.4. */
const published = {
  header: "issuerKey affiliateKey clearingDate type version fileName declaredRecordsInFile",
  clearing:
    "affiliateKey trxId trxType trxDateTime trxCurrency interchangeDeduction feeDeduction transactionId " +
    "transactionSource cardSettlementSchema originalTransactionId originalTransactionDate " +
    "originalTransactionAmount settlementDate customerId accountId cardId panToken billedAmount " +
    "billedCurrency feeAmount merchantId merchantName merchantCity merchantCountry " +
    "merchantClassificationCode transactionTypeCode transactionChannel matchingDesignator " +
    "financialFlowFlag processingTimestamp authorizationTimestamp clearingId " +
    "sendingInstitutionIdentification reversalIndicator originalTransactionCurrency terminalId entryMode",
  fee:
    "affiliateKey trxCurrency interchangeDeduction feeDeduction billedAmount billedCurrency feeSource " +
    "cardSettlementSchema financialFlowFlag reversalIndicator matchingDesignator settlementDate customerId " +
    "accountId cardId panToken feeAmount feeCurrency processingTimestamp feeType feeCode feeProfile " +
    "feeDescription feeDate feeId reconciliationAmount reconciliationCurrency schemaProcessingDate " +
    "sendingInstitutionIdentificationCode feeTariffCode originalIdentifier",
} as const;

test.each<readonly [string, z.ZodObject, object, string]>([
  ["header", ClearingFileHeader, exampleLines.clearingHeader, published.header],
  ["fee header", ClearingFileHeader, exampleLines.feeHeader, published.header],
  ["clearing record", ClearingRecord, exampleLines.clearingRecord, published.clearing],
  ["fee record", FeeRecord, exampleLines.feeRecord, published.fee],
])("%s", (_name, schema, example, fields) => {
  expect(Object.keys(schema.shape)).toEqual(fields.split(" "));
  expect(Object.keys(example)).toEqual(fields.split(" "));
  expect(schema.parse(example)).toEqual(example);
});

test("a file's name says whose it is, of which day and what", () => {
  const file = { issuerKey: "borsello", affiliateKey: "acme", clearingDate: "2026-01-09" } as const;
  expect(clearingFileName({ ...file, type: "FEEMULTISCHEME" })).toBe(
    "borsello_20260109_FEEMULTISCHEME_acme.jsonl",
  );
});
