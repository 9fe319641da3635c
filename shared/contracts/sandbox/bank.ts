/** The sandbox route that stands for the bank's incoming credits (contract 0.3). */
import { z } from "zod";
import { BankNotificationMessage } from "../platform/bank-messages.js";
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
  errors: [],
  summary: "Let a credit arrive at the bank",
  description:
    "Stands for an incoming SCT (standard or instant), SDD or reconciliation credit: its message " +
    "goes to the queue `bank-notifications`. Each call is a transfer of its own.",
});
