/** A desk at which tests collect and are told what the bank says, and see what that has moved. */
import { z } from "zod";
import type { BankOutcomeMessage } from "../../../shared/contracts/platform/bank-messages.js";
import type { Mandate } from "../../../shared/contracts/mandates/mandates.js";
import { availableCents } from "../../../shared/database/ledger/ledger.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { accountCents } from "../settlement/confirmed-operations.js";
import { bankTells, collect, mandateNow, openDueMandate, type Collected } from "./collections.js";

export type Word = BankOutcomeMessage["outcome"];

const Deposit = z.object({
  operationId: z.string(),
  status: z.string(),
  feedback: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
});

const Held = z.object({
  bankNotificationId: z.string(),
  status: z.string(),
  feedback: z.string().nullable(),
  failedRule: z.string().nullable(),
  type: z.string(),
  reconciliationType: z.string(),
  consumedCents: z.bigint(),
});
export type HeldCollection = z.infer<typeof Held>;

/** `read` is called when a test asks: the database may open later. */
export const deskOf = (read: () => Database) => ({
  opened: (): Promise<Collected> => openDueMandate(read()),
  /** Asks for a collection; resolves to its request. */
  collected: (of: Collected): Promise<string> => collect(read(), of),
  tells: (requestId: string, ...words: readonly Word[]): Promise<void> =>
    bankTells(read(), requestId, ...words),
  mandate: (of: Collected): Promise<Mandate> => mandateNow(read(), of),
  /** What the wallet can spend, in euros. */
  balance: async ({ walletId }: Collected): Promise<number> =>
    Number(await availableCents(read(), walletId)) / 100,
  bank: (): Promise<bigint> => accountCents(read(), "Bank", "safeguarding"),
  suspense: (): Promise<bigint> => accountCents(read(), "Suspense", "received"),
  depositsOf: ({ walletId }: Collected) =>
    read().rows(
      Deposit,
      `select operation_id as "operationId", status, feedback, metadata from borsello.operation
       where wallet_id = $1 and type = 'SddDeposit' order by creation_date, operation_id`,
      [walletId],
    ),
  /** The notifications that name a collection. */
  heldFor: (requestId: string): Promise<HeldCollection[]> =>
    read().rows(
      Held,
      `select bank_notification_id as "bankNotificationId", status, feedback, type,
         failed_rule as "failedRule", reconciliation_type as "reconciliationType",
         consumed_amount_cents as "consumedCents"
       from borsello.bank_notification where named_request_id = $1`,
      [requestId],
    ),
});
