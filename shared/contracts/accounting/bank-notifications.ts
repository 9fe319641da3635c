/** Bank notifications: what the bank reports as received (wallet seed, 2.9; contract 3.2 and 4.4). */
import { z } from "zod";
import { dateRangeQuery } from "../date-range.js";
import { Identifier } from "../identifier.js";
import { pageErrors, pageQuery, paginated } from "../pages.js";
import { bankNotificationTypes } from "../platform/bank-messages.js";
import { route } from "../route.js";
import { DateTime, Metadata, NullableDateTime } from "../wallet/fields.js";

export const bankNotificationStatuses = [
  "Received",
  "Accepted",
  "Processing",
  "PartiallyConsumed",
  "Consumed",
  "Failed",
  "RejectionRequested",
  "Rejected",
] as const;

export const reconciliationTypes = [
  "IbanValidation",
  "WalletDeposit",
  "StoreReconciliation",
  "Mandate",
  "Return",
  "None",
] as const;

const Reference = z.string().nullable();
const Id = z.uuid().nullable();

export const BankNotification = z
  .object({
    bankNotificationId: z.uuid(),
    partnerKey: z
      .string()
      .nullable()
      .describe("`platform` where the account that the credit reached is nobody's."),
    type: z.enum(bankNotificationTypes),
    status: z.enum(bankNotificationStatuses),
    feedback: z
      .string()
      .nullable()
      .describe("Of what stays Received: the rule that failed, a colon, and what would fit."),
    attempts: z.int32(),
    creationDate: DateTime,
    receptionDate: DateTime,
    acceptanceDate: NullableDateTime,
    lastUpdateDate: DateTime,
    creditorName: Reference,
    creditorIban: z.string(),
    debtorName: z.string(),
    debtorIban: z.string(),
    amount: z.number(),
    reason: z.string(),
    transactionReference: z.string(),
    reconciliationCode: Reference,
    reconciliationType: z.enum(reconciliationTypes),
    paymentGatewayReference: Reference,
    walletId: Id,
    storeId: Id,
    operationId: Id,
    metadata: Metadata.nullable(),
    consumedAmount: z.number(),
    consumableAmount: z.number(),
    incomingPaymentId: Id,
  })
  .meta({ id: "BankNotification" });
export type BankNotification = z.output<typeof BankNotification>;

export interface BankNotificationFilter {
  readonly type?: BankNotification["type"] | undefined;
  readonly status?: BankNotification["status"] | undefined;
}

export const listBankNotificationsRoute = route({
  id: "listBankNotifications",
  api: "wallet",
  method: "GET",
  path: "banknotifications",
  query: {
    ...dateRangeQuery,
    type: z.enum(bankNotificationTypes).optional(),
    status: z.enum(bankNotificationStatuses).optional(),
    ...pageQuery,
  },
  role: "Operation.Read",
  ok: { status: 200, schema: paginated(BankNotification) },
  errors: [...pageErrors, "DateRangeInvalid"],
  summary: "List the partner's bank notifications",
  result: "A page of the notifications, and how many there are in all.",
  description:
    "In order of creation, which the dates are of. A credit belongs to the partner whose collection " +
    "account it reached, and to `platform` where that is nobody's. What stays Received says why in " +
    "`feedback`.",
});

const decision = {
  api: "wallet",
  method: "PUT",
  params: { bankNotificationId: Identifier },
  role: "Accounting.Write",
  ok: { status: 200, schema: BankNotification },
} as const;

const refusals = [
  "BankNotificationNotFound",
  "BankNotificationStatusInvalid",
  "BankNotificationConsumed",
] as const;

export const approveBankNotificationRoute = route({
  ...decision,
  id: "approveBankNotification",
  path: "banknotifications/{bankNotificationId}/approve",
  body: z
    .strictObject({
      walletId: z
        .uuid()
        .nullable()
        .optional()
        .describe("Whose it is, where no wallet or store fits."),
    })
    .optional(),
  errors: [...refusals, "WalletNotFound", "WalletOfAnotherPartner"],
  summary: "Approve a bank notification",
  result: "The notification after what the approval did.",
  description:
    "Credits what is not consumed to the wallet that is named or that it was matched with, or uses it for " +
    "its store's reconciliation group. For what is Received, Failed or PartiallyConsumed; the wallet must " +
    "be Active. An approval validates no IBAN.",
});

export const rejectBankNotificationRoute = route({
  ...decision,
  id: "rejectBankNotification",
  path: "banknotifications/{bankNotificationId}/reject",
  errors: refusals,
  summary: "Reject a bank notification",
  result: "The notification: its money is to be sent back.",
  description:
    "Has the bank send back what is not consumed: the notification is RejectionRequested until the bank has " +
    "booked that, then Rejected (Consumed where a part was used). Refused by the bank, it is Received again " +
    "with the bank's code in its feedback, and may be rejected anew.",
});
