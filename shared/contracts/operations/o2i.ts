/** Card payments through the O2I contract of the card platform (wallet seed, 4.3; card seed, 2.7). */
import { z } from "zod";
import { dateTimeCharactersMax } from "../date-range.js";
import { Identifier } from "../identifier.js";
import { route } from "../route.js";
import { GivenTags, OperationAmount } from "./operations.js";

const TransactionId = z
  .string()
  .min(1)
  .max(255, { abort: true })
  .regex(/^\P{Cc}*$/u, "must not hold control characters");
const NullableText = z
  .string()
  .max(255, { abort: true })
  .regex(/^\P{Cc}*$/u, "must not hold control characters")
  .nullable();
const NullableInt = z.int32().nullable();
const NullableMoment = z.iso.datetime({ offset: true }).max(dateTimeCharactersMax).nullable();

export const O2iPayment = z.strictObject({
  transactionId: TransactionId.describe(
    "The same identifier is paid once, however often it comes.",
  ),
  refTransactionId: NullableText,
  transactionDateTime: NullableMoment,
  processDateTime: NullableMoment,
  transactionAmount: OperationAmount,
  transactionCurrency: NullableInt,
  billingAmount: OperationAmount.describe("What the wallet is charged."),
  billingCurrency: NullableInt.describe("978; null: that of the transaction."),
  terminalId: NullableText,
  mcc: NullableText,
  merchantId: NullableText,
  merchantName: NullableText,
  merchantStreet: NullableText,
  merchantCity: NullableText,
  merchantZip: NullableText,
  merchantCountry: NullableInt,
  cardToken: NullableText,
  authorizationCode: NullableText,
  cardScheme: NullableInt,
  type: NullableInt.describe("0 purchase, 1 cash machine, 17 cash advance; others are declined."),
  stan: NullableText,
  source: NullableText,
  entryMode: NullableInt,
  authentication: NullableInt,
  authenticationProtocol: NullableInt,
  virtualCardNumberId: NullableText,
  wallet: NullableInt,
  responseCode: NullableText,
  tags: GivenTags,
  financialReference: Identifier.describe("The wallet's identifier."),
});

export const executeO2iPaymentRoute = route({
  id: "executeO2iPayment",
  api: "wallet",
  method: "POST",
  path: "o2i/payments",
  body: O2iPayment,
  repeatable: true,
  role: "O2I.Write",
  ok: {
    status: 200,
    schema: z.object({
      transactionId: z.string(),
      responseCode: z
        .string()
        .meta({ enum: ["00", "05", "12", "13", "14", "51", "61", "62", "94"] }),
      availableBalance: z.number(),
      accountCurrency: z.int32(),
    }),
  },
  errors: ["WalletOfAnotherPartner", "WalletNotFound"],
  summary: "Execute a card payment: initialise and confirm it at once",
  result: "The decision: code `00` is a payment that was made, any other one that was declined.",
  description:
    "A decline is 200 with its response code: 05 refused by the processor, 12 type or currency, " +
    "13 amount, 14 closed wallet, 51 funds, 61 limit, 62 suspended wallet, 94 the identifier was " +
    "used for another payment. A repeat gets the first answer.",
});
