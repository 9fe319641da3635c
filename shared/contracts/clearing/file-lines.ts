/** The lines of a clearing file: its header, then a record for each presentment or fee (card seed, 4.4). */
import { z } from "zod";
import { clearingFileTypes } from "../../domain/clearing/file-names.js";

const DateTime = z.iso.datetime();
const Amount = z.number().describe("With at most two decimals, never negative.");
const Currency = z.string().describe("ISO 4217, letters.");
const Text = z.string().nullable();
/** The card processor has not told it. */
const Unknown = z.null().describe("Always null: the card processor does not tell it.");
const Deduction = Amount.describe(
  "The affiliate's share of the amount by its settings, rounded half up.",
);
const Flow = z
  .enum(["Debit", "Credit"])
  .describe("What the movement is to the card holder; a reversal flows the other way.");

/** Of every line. */
const AffiliateKey = z.string().describe("The partner whose card it is.");

export const ClearingFileHeader = z
  .strictObject({
    issuerKey: z.string(),
    affiliateKey: AffiliateKey,
    clearingDate: z.iso.date(),
    type: z.enum(clearingFileTypes),
    version: z.string().describe("Of the shape of the lines."),
    fileName: z.string(),
    declaredRecordsInFile: z.int().describe("The number of lines that follow."),
  })
  .meta({ id: "ClearingFileHeader" });
export type ClearingFileHeader = z.output<typeof ClearingFileHeader>;

export const ClearingRecord = z
  .strictObject({
    affiliateKey: AffiliateKey,
    trxId: z.string().describe("Of the card transaction, as the card's transactions show it."),
    trxType: z
      .enum(["Debit", "DebitReversal", "Credit", "CreditReversal"])
      .describe("Under which of the clearing's sums it is counted."),
    trxDateTime: DateTime,
    trxCurrency: Currency,
    interchangeDeduction: Deduction,
    feeDeduction: Deduction,
    transactionId: z.string().describe("The card processor's own, of the presentment."),
    transactionSource: Unknown,
    cardSettlementSchema: Unknown,
    originalTransactionId: Unknown,
    originalTransactionDate: Unknown,
    originalTransactionAmount: Amount.describe("As the merchant charged it."),
    settlementDate: z.iso.date().describe("The day of the clearing."),
    customerId: z.guid(),
    accountId: z.guid(),
    cardId: z.uuid(),
    panToken: Text,
    billedAmount: Amount.describe("What the card holder is charged or paid, without the fee."),
    billedCurrency: Currency,
    feeAmount: Amount,
    merchantId: Unknown,
    merchantName: Text,
    merchantCity: Unknown,
    merchantCountry: Text.describe("ISO 3166-1 alpha-3: it decides the zone."),
    merchantClassificationCode: z.int().nullable().describe("ISO 18245."),
    transactionTypeCode: z.int().describe("As in authorisations: 0 purchase, 20 credit."),
    transactionChannel: Unknown,
    matchingDesignator: z
      .enum(["Matched", "Unmatched"])
      .describe("Whether an authorisation was open for it."),
    financialFlowFlag: Flow,
    processingTimestamp: DateTime.describe("When the presentment arrived."),
    authorizationTimestamp: DateTime.nullable().describe("Null where none was matched."),
    clearingId: z.uuid().describe("The clearing's bookmark."),
    sendingInstitutionIdentification: Unknown,
    reversalIndicator: z.boolean(),
    originalTransactionCurrency: Currency,
    terminalId: Unknown,
    entryMode: Unknown,
  })
  .meta({ id: "ClearingRecord" });
export type ClearingRecord = z.output<typeof ClearingRecord>;

export const FeeRecord = z
  .strictObject({
    affiliateKey: AffiliateKey,
    trxCurrency: Currency,
    interchangeDeduction: Deduction,
    feeDeduction: Deduction,
    billedAmount: Amount.describe("0: nothing but the fee is charged."),
    billedCurrency: Currency,
    feeSource: Unknown,
    cardSettlementSchema: Unknown,
    financialFlowFlag: Flow,
    reversalIndicator: z.boolean(),
    matchingDesignator: Unknown,
    settlementDate: z.iso.date().describe("The day of the clearing."),
    customerId: z.guid(),
    accountId: z.guid(),
    cardId: z.uuid(),
    panToken: Text,
    feeAmount: Amount,
    feeCurrency: Currency,
    processingTimestamp: DateTime.describe("When the fee arrived."),
    feeType: Text,
    feeCode: Text,
    feeProfile: Unknown,
    feeDescription: Text,
    feeDate: z.iso.date().describe("The day on which it arrived (Rome)."),
    feeId: z.string().describe("The card processor's own."),
    reconciliationAmount: Amount.describe("What the fee is settled with."),
    reconciliationCurrency: Currency,
    schemaProcessingDate: Unknown,
    sendingInstitutionIdentificationCode: Unknown,
    feeTariffCode: Unknown,
    originalIdentifier: Unknown,
  })
  .meta({ id: "FeeRecord" });
export type FeeRecord = z.output<typeof FeeRecord>;
