/** The sandbox routes that stand for the card processor: what it says to the platform (contract 0.3). */
import { z } from "zod";
import { cardErrors } from "../card/fields.js";
import { AccountOpened, Fee, Presentment, ProcessorAddress } from "../card/processor-messages.js";
import { Identifier } from "../identifier.js";
import { route } from "../route.js";

const account = AccountOpened.shape;

export const CardAccountBody = z.strictObject({
  customerId: account.customerId,
  firstName: account.firstName,
  lastName: account.lastName,
  address: z.strictObject(ProcessorAddress.shape),
});

export const openCardAccountRoute = route({
  id: "openCardAccount",
  api: "sandbox",
  method: "POST",
  path: "card/accounts",
  body: CardAccountBody,
  role: "Sandbox.Use",
  ok: {
    status: 202,
    schema: z
      .object({ messageId: z.uuid(), accountId: z.uuid(), addressId: z.uuid() })
      .meta({ id: "SandboxCardAccount" }),
  },
  errors: [],
  summary: "Have the card processor open an account",
  result: "The account's message was sent; account and address are there once it is handled.",
  description:
    "An account of the token's partner, with its address: the event `accountOpened` goes to the queue " +
    "`card-processor-events`. Account and address are there once it is handled, and 404 until then.",
});

const presentment = Presentment.shape;

export const PresentmentBody = z.strictObject({
  cardId: presentment.cardId,
  amount: presentment.amount,
  currency: presentment.currency,
  merchantName: presentment.merchantName,
  merchantCountry: presentment.merchantCountry,
  type: presentment.type,
  isReversal: presentment.isReversal,
  mcc: presentment.mcc,
  feeAmount: presentment.feeAmount,
});

const message = {
  status: 202,
  schema: z.object({ messageId: z.uuid() }).meta({ id: "SandboxCardMessage" }),
} as const;

export const presentRoute = route({
  id: "presentCardTransaction",
  api: "sandbox",
  method: "POST",
  path: "card/presentments",
  body: PresentmentBody,
  role: "Sandbox.Use",
  ok: message,
  errors: [...cardErrors, "CurrencyNotSupported"],
  summary: "Have a card transaction presented",
  result: "The presentment's message was sent.",
  description:
    "The event `presentment` goes to the queue `card-processor-events`: a transaction of the card, which is " +
    "waits for its clearing as soon as it is handled. Each call is a presentment of its own.",
});

const fee = Fee.shape;

export const FeeBody = z.strictObject({
  cardId: fee.cardId,
  amount: fee.amount,
  currency: fee.currency,
  feeType: fee.feeType,
  feeCode: fee.feeCode,
  feeDescription: fee.feeDescription,
});

export const chargeFeeRoute = route({
  id: "chargeCardFee",
  api: "sandbox",
  method: "POST",
  path: "card/fees",
  body: FeeBody,
  role: "Sandbox.Use",
  ok: message,
  errors: [...cardErrors, "CurrencyNotSupported"],
  summary: "Have a fee of a card charged",
  result: "The fee's message was sent.",
  description:
    "The event `fee` goes to the queue `card-processor-events`: a record of the fee file, and no transaction.",
});

export const makePinTokenRoute = route({
  id: "makePinToken",
  api: "sandbox",
  method: "POST",
  path: "card/pintokens",
  body: z.strictObject({ cardId: Identifier }),
  role: "Sandbox.Use",
  ok: { status: 200, schema: z.object({ token: z.string() }).meta({ id: "PinToken" }) },
  errors: cardErrors,
  summary: "Get the token that a new PIN needs",
  result: "The token.",
  description: "It names the card, counts once, and for an hour.",
});
