/** The published shapes of clearing files: an example of each line, and the routes that show them. */
import { z } from "zod";
import { clearingFileName } from "../../domain/clearing/file-names.js";
import { route } from "../route.js";
import { ClearingFileHeader, ClearingRecord, FeeRecord } from "./file-lines.js";

/** Of the lines' shape; another one when a field comes, goes or changes its meaning. */
export const clearingFileVersion = "1.0";

const issuerKey = "borsello";
const affiliateKey = "acme";
const clearingDate = "2026-11-22";
const at = "2026-11-22T09:30:00.000Z";

const exampleHeader = (type: ClearingFileHeader["type"]): ClearingFileHeader => ({
  issuerKey,
  affiliateKey,
  clearingDate,
  type,
  version: clearingFileVersion,
  fileName: clearingFileName({ issuerKey, affiliateKey, clearingDate, type }),
  declaredRecordsInFile: 1,
});

const exampleCard = {
  customerId: "0198f3a0-5b1e-7c32-9d44-1f6a0c2b7e01",
  accountId: "0198f3a0-5b1e-7c32-9d44-1f6a0c2b7e02",
  cardId: "0198f3a0-5b1e-7c32-9d44-1f6a0c2b7e03",
  panToken: "9999990000000000421234",
} as const;

const exampleClearingRecord: ClearingRecord = {
  affiliateKey,
  trxId: "a7c1e2f4-authorisation",
  trxType: "Debit",
  trxDateTime: at,
  trxCurrency: "EUR",
  interchangeDeduction: 0.09,
  feeDeduction: 0,
  transactionId: "b8d2f305-presentment",
  transactionSource: null,
  cardSettlementSchema: null,
  originalTransactionId: null,
  originalTransactionDate: null,
  originalTransactionAmount: 42.5,
  settlementDate: clearingDate,
  ...exampleCard,
  billedAmount: 42.5,
  billedCurrency: "EUR",
  feeAmount: 0.5,
  merchantId: null,
  merchantName: "Libreria del Corso",
  merchantCity: null,
  merchantCountry: "ITA",
  merchantClassificationCode: 5942,
  transactionTypeCode: 0,
  transactionChannel: null,
  matchingDesignator: "Matched",
  financialFlowFlag: "Debit",
  processingTimestamp: at,
  authorizationTimestamp: at,
  clearingId: "0198f3a0-5b1e-7c32-9d44-1f6a0c2b7e04",
  sendingInstitutionIdentification: null,
  reversalIndicator: false,
  originalTransactionCurrency: "EUR",
  terminalId: null,
  entryMode: null,
};

const exampleFeeRecord: FeeRecord = {
  affiliateKey,
  trxCurrency: "EUR",
  interchangeDeduction: 0,
  feeDeduction: 0.02,
  billedAmount: 0,
  billedCurrency: "EUR",
  feeSource: null,
  cardSettlementSchema: null,
  financialFlowFlag: "Debit",
  reversalIndicator: false,
  matchingDesignator: null,
  settlementDate: clearingDate,
  ...exampleCard,
  feeAmount: 1.5,
  feeCurrency: "EUR",
  processingTimestamp: at,
  feeType: "Membership",
  feeCode: "MF01",
  feeProfile: null,
  feeDescription: "Monthly membership",
  feeDate: clearingDate,
  feeId: "c9e30416-fee",
  reconciliationAmount: 1.5,
  reconciliationCurrency: "EUR",
  schemaProcessingDate: null,
  sendingInstitutionIdentificationCode: null,
  feeTariffCode: null,
  originalIdentifier: null,
};

const structure = <Schema extends z.ZodType>(schema: Schema) =>
  ({
    api: "card",
    method: "GET",
    role: "Card.Read",
    ok: { status: 200, schema },
    errors: [],
  }) as const;

export const getClearingHeaderStructureRoute = route({
  ...structure(ClearingFileHeader),
  id: "getClearingHeaderStructure",
  path: "clearing/structures/clearing/header",
  summary: "An example of a clearing file's first line",
  result: "A first line as files have it.",
});

export const getClearingRecordStructureRoute = route({
  ...structure(ClearingRecord),
  id: "getClearingRecordStructure",
  path: "clearing/structures/clearing/record",
  summary: "An example of a clearing file's record",
  result: "A record as files have it.",
});

export const getFeeHeaderStructureRoute = route({
  ...structure(ClearingFileHeader),
  id: "getFeeHeaderStructure",
  path: "clearing/structures/fee/header",
  summary: "An example of a fee file's first line",
  result: "A first line as files have it.",
});

export const getFeeRecordStructureRoute = route({
  ...structure(FeeRecord),
  id: "getFeeRecordStructure",
  path: "clearing/structures/fee/record",
  summary: "An example of a fee file's record",
  result: "A record as files have it.",
});

export const exampleLines = {
  clearingHeader: exampleHeader("CLEARINGMULTISCHEME"),
  clearingRecord: exampleClearingRecord,
  feeHeader: exampleHeader("FEEMULTISCHEME"),
  feeRecord: exampleFeeRecord,
} as const;
