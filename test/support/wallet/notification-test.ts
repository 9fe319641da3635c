/** What tests of bank notifications on a database alone share: wallets, transfers, decisions, the bank's words. */
import { expect } from "vitest";
import { z } from "zod";
import type { BankNotificationMessage } from "../../../shared/contracts/platform/bank-messages.js";
import { proveBook } from "../../../shared/database/accounting/prove.js";
import {
  approveNotification,
  rejectNotification,
} from "../../../shared/database/bank/notification-decisions.js";
import { advanceNotification } from "../../../shared/database/bank/notification-flow.js";
import { recordOutcome } from "../../../shared/database/bank/requests.js";
import { availableCents } from "../../../shared/database/ledger/ledger.js";
import { acme } from "./wallet-fixtures.js";
import {
  countOf,
  openBankTest,
  outboxOf,
  receive,
  sctFor,
  writeWaitingWallet,
  type WaitingWallet,
} from "./bank-fixtures.js";

export const terms = {
  silenceSeconds: 10,
  retrySeconds: [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000],
};
const means = { terms, platformAccount: null, report: () => undefined };

/** A transfer of 40.00 without a code. */
export const nameless: Partial<BankNotificationMessage> = { reason: "savings", amount: 40 };

const Row = z.object({
  status: z.string(),
  feedback: z.string().nullable(),
  consumed: z.bigint(),
  attempts: z.int(),
});
const Request = z.object({ requestId: z.string(), amount: z.number(), inquiries: z.int() });
type Word = "accepted" | "booked" | "refused" | "returned";

/** By partner: what notifications still hold must be what the books have in suspense. */
const differences = `
  select count(*) from (
    select partner_key, sum(cents) from (
      select partner_key, amount_cents - consumed_amount_cents as cents
      from borsello.bank_notification where is_booked
      union all
      select account.partner_key, -entry.amount_cents
      from borsello.entry join borsello.account using (account_id) where kind = 'Suspense'
    ) as line group by 1 having sum(cents) <> 0
  ) as wrong`;

export const openNotificationTest = async () => {
  const bank = await openBankTest();
  const { database } = bank;
  const execute = (text: string, values: readonly unknown[] = []) => database.execute(text, values);

  /** A wallet of Maria Rossi whose IBAN is validated. */
  const validated = async (): Promise<WaitingWallet> => {
    const wallet = await writeWaitingWallet(database);
    await validate(wallet);
    return wallet;
  };
  const validate = async ({ walletId }: WaitingWallet): Promise<void> => {
    for (const change of [
      "update borsello.iban_validation set status = 'Validated' where wallet_id = $1",
      "update borsello.wallet set is_iban_validated = true where wallet_id = $1",
    ])
      await execute(change, [walletId]);
  };
  const become = ({ walletId }: WaitingWallet, status: string) =>
    execute("update borsello.wallet set status = $2 where wallet_id = $1", [walletId, status]);
  const arrive = async (message: BankNotificationMessage): Promise<string> =>
    (await receive(database, message)).bankNotificationId;

  const rowOf = async (id: string): Promise<z.infer<typeof Row>> => {
    const row = await database.row(
      Row,
      `select status, feedback, consumed_amount_cents as consumed, attempts
       from borsello.bank_notification where bank_notification_id = $1`,
      [id],
    );
    if (row === undefined) throw new Error("no such notification");
    return row;
  };
  const returnsOf = (id: string) =>
    database.rows(
      Request,
      `select request_id as "requestId", (payload ->> 'amount')::float as amount, inquiries
       from borsello.bank_request where bank_notification_id = $1 order by attempt`,
      [id],
    );
  return {
    ...bank,
    ...{ execute, validate, validated, become, arrive, rowOf, returnsOf },
    unmatched: async () => arrive(sctFor(await writeWaitingWallet(database), nameless)),
    statusOf: async (id: string): Promise<string> => (await rowOf(id)).status,
    balanceOf: ({ walletId }: WaitingWallet) => availableCents(database, walletId),
    approve: (id: string, wallet: WaitingWallet | null = null) =>
      approveNotification(database, acme, id, wallet?.walletId ?? null),
    reject: (id: string) => rejectNotification(database, acme, id),
    advance: (id: string) => advanceNotification(database, id, means),
    pass: (seconds: number) =>
      execute("update borsello.sandbox_clock set offset_ms = offset_ms + $1::bigint * 1000", [
        seconds,
      ]),
    eventsOf: async (session: string, subject: string) =>
      (await outboxOf(database, session)).filter((row) => row.subject === subject),
    /** The last return that was asked for, told so by the bank. */
    tellReturn: async (id: string, ...outcomes: readonly Word[]): Promise<void> => {
      const requestId = (await returnsOf(id)).at(-1)?.requestId;
      if (requestId === undefined) throw new Error("no return was asked for");
      for (const outcome of outcomes)
        await recordOutcome(database, {
          ...{ requestId, outcome, transactionReference: `SB-${requestId}` },
          reasonCode: outcome === "refused" || outcome === "returned" ? "AC04" : null,
          bookingDate: outcome === "booked" ? "2026-01-16" : null,
        });
    },
    booksAgree: async (): Promise<void> => {
      expect(await countOf(database, differences)).toBe(0);
    },
    /** What is wrong with the notifications of the whole book. */
    misheld: async () => {
      const { findings } = await proveBook({ kind: "url", url: bank.url });
      return findings.filter(({ check }) => check === "notifications");
    },
  };
};
export type NotificationTest = Awaited<ReturnType<typeof openNotificationTest>>;
