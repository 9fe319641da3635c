/** The sandbox routes that stand for the bank: credits that arrive, how it answers requests (contract 0.3). */
import { z } from "zod";
import { bankDecisions } from "../../domain/bank/sandbox-script.js";
import { Identifier } from "../identifier.js";
import { Operation } from "../operations/operations.js";
import { BankNotificationMessage, bankRequestKinds } from "../platform/bank-messages.js";
import { route } from "../route.js";

const fields = BankNotificationMessage.shape;

export const BankNotificationBody = z.strictObject({
  type: fields.type,
  debtorName: fields.debtorName,
  debtorIban: fields.debtorIban,
  creditorIban: fields.creditorIban,
  amount: fields.amount,
  reason: fields.reason,
});

export const sendBankNotificationRoute = route({
  id: "sendBankNotification",
  api: "sandbox",
  method: "POST",
  path: "bank/notifications",
  body: BankNotificationBody,
  role: "Sandbox.Use",
  ok: {
    status: 202,
    schema: z.object({ messageId: z.uuid() }).meta({ id: "SandboxMessage" }),
  },
  errors: ["PartnerMismatch"],
  summary: "Let a credit arrive at the bank",
  result: "The credit's message was sent.",
  description:
    "Stands for an incoming SCT (standard or instant), SDD or reconciliation credit: its message " +
    "goes to the queue `bank-notifications`. Each call is a transfer of its own. A partner's credits " +
    "reach its own collection account; those to an account that is nobody's are for the token of " +
    "`platform`.",
});

export const BankScriptBody = z.strictObject({
  kind: z.enum(bankRequestKinds),
  iban: z
    .string()
    .max(42, { abort: true })
    .regex(/^[A-Za-z]{2}[0-9A-Za-z ]{6,40}$/, "must look like an IBAN")
    .nullable()
    .describe("The customer's or store's account; null: requests that name none, as transfers."),
  outcome: z.enum(bankDecisions),
});

const refusalCode = z
  .string()
  .max(4, { abort: true })
  .regex(/^[A-Z0-9]{4}$/, "must be an ISO reason code of four characters")
  .optional();

export const scriptBankRoute = route({
  id: "scriptBank",
  api: "sandbox",
  method: "PUT",
  path: "bank/script",
  body: BankScriptBody,
  query: { reasonCode: refusalCode.describe("Of what is refused; MS03 where absent.") },
  repeatable: true,
  role: "Sandbox.Use",
  ok: { status: 200, schema: BankScriptBody.meta({ id: "BankScript" }) },
  errors: [],
  summary: "Set how the sandbox bank answers",
  result: "The script that holds from now on.",
  description:
    "For the partner's requests of this kind that concern this account, until it is set anew: " +
    "`accepted` (money is booked, too), `refused`, `silent`, `returned` (booked, then sent back). " +
    "Without a script, amounts that end in .99 are refused and those in .98 get no answer; internal " +
    "transfers are accepted. What the bank has answered once, it says again when it is asked again.",
});

export const paymentVerbs = ["complete", "reject", "timeout"] as const;

export const decidePaymentRoute = route({
  id: "decidePayment",
  api: "sandbox",
  method: "PUT",
  path: "outgoingpayments/{operationId}/{verb}",
  params: { operationId: Identifier, verb: z.enum(paymentVerbs) },
  query: {
    reasonCode: refusalCode.describe("Of a rejection; MS03 where absent."),
  },
  role: "Sandbox.Use",
  ok: { status: 200, schema: Operation },
  errors: ["OperationNotFound", "OperationStatusInvalid"],
  summary: "Have the bank complete, reject or ignore the payment of a withdrawal",
  result: "The operation, before or after the bank's answer.",
  description:
    "Holds for this payment whatever the script says. A payment that the bank was asked for already " +
    "is answered at once; the answer shows the operation before or after that.",
});
