/** The risk of a card transaction (card seed, 4.3; contract 3.3 and 5). */
import { z } from "zod";
import { riskLevels } from "../../domain/threeds/risk.js";
import { route } from "../route.js";
import {
  AcsVersion,
  asThreeDs,
  DsTransactionId,
  Line,
  PanToken,
  TransactionId,
  TwoDigits,
} from "./fields.js";

const first = { abort: true } as const;

export const threeRiIndicators = [
  "01",
  "02",
  "03",
  "04",
  "05",
  "06",
  "07",
  "08",
  "09",
  "10",
  "11",
] as const;

/** As long as EMVCo lets amounts be. */
const digitsMax = 48;
/** ISO 4217 knows 0 to 4; the field has one digit. */
const exponentMax = 9;

export const RiskBody = z.strictObject({
  transactionId: TransactionId,
  dsTransactionId: DsTransactionId,
  acsVersion: AcsVersion,
  panToken: PanToken,
  merchantName: Line,
  purchaseAmount: z
    .string()
    .max(digitsMax, first)
    .regex(/^\d+$/, "must be digits alone: the amount in minor units, such as 1250")
    .describe("In minor units without punctuation: 1250 for 12.50."),
  purchaseExponent: z.int().min(0).max(exponentMax).describe("2 for euro."),
  purchaseCurrency: z
    .string()
    .max(3, first)
    .regex(/^\d{3}$/, "must be a currency's three digits by ISO 4217, such as 978")
    .describe("ISO 4217, three digits: 978 is the euro."),
  acquirerMerchantId: Line,
  messageCategory: TwoDigits.nullish(),
  merchantFraudRate: z.int32().min(0).describe("Basis points."),
  threeRiIndicator: z.enum(threeRiIndicators).nullish(),
  whitelistStatus: z
    .enum(["Y", "N"])
    .nullish()
    .describe("Y: the card holder has listed the merchant as trusted."),
});
export type RiskBody = z.output<typeof RiskBody>;

export const Risk = z
  .object({ riskLevel: z.enum(riskLevels), whitelistStatus: z.enum(["Y", "N"]) })
  .meta({ id: "ThreeDsRisk" });
export type Risk = z.output<typeof Risk>;

export const assessRiskRoute = route({
  ...asThreeDs,
  id: "assessRisk",
  method: "POST",
  path: "3ds/risk",
  body: RiskBody,
  ok: { status: 200, schema: Risk },
  errors: ["CardTokenInvalid", "AccountOfAnotherAffiliate", "ValidationFailed"],
  summary: "Calculate the risk of a card transaction",
  result: "The risk, and whether the merchant is on the card holder's list.",
  description:
    "HIGH where card or account is not active, or above 500.00 euro with more than 13 basis points of " +
    "fraud. LOW where the merchant is listed (`Y`), up to 100.00, 250.00 and 500.00 with at most 13, 6 and " +
    "1 basis points, and up to 30.00 for five purchases of together 100.00 since the card holder was last " +
    "authenticated. All else is MEDIUM, and so is what is not in euro and not listed. The same transaction " +
    "asked again gets the same answer.",
});
