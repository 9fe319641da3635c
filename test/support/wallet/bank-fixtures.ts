/** What tests of the bank's side start from: a database, a partner, wallets that wait for their SCT. */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { BankNotificationMessage } from "../../../shared/contracts/platform/bank-messages.js";
import {
  receiveNotification,
  type ReceivedNotification,
} from "../../../shared/database/bank/notifications.js";
import { openDatabase } from "../../../shared/database/platform/database.js";
import type { Database, Queryable } from "../../../shared/database/platform/database.js";
import { createLogger } from "../../../shared/platform/logger.js";
import { createDatabase } from "../database/database.js";

export const silentLogger = createLogger("error", () => undefined);

export interface BankTest {
  readonly database: Database;
  readonly url: string;
  end(): Promise<void>;
}

/** Where the transfers of acme's customers go, unless a test sends them elsewhere. */
export const collectionIban = "IT14B0000000000000000000001";
export const globexIban = "IT14B0000000000000000000002";

const writePartner = async (tx: Queryable): Promise<void> => {
  await tx.execute(
    `insert into borsello.partner (partner_key, client_id, client_secret_salt, client_secret_hash,
       auth_key_salt, auth_key_hash, roles, is_operator, settings)
     select partner_key, partner_key || '-client', '\\x', '\\x', '\\x', '\\x', '{}', is_operator,
       jsonb_build_object('ibanVerification', jsonb_build_object('destinationIban', iban))
     from (values ('acme', false, $1), ('globex', false, $2), ('platform', true, null))
       as partner (partner_key, is_operator, iban)
     on conflict do nothing`,
    [collectionIban, globexIban],
  );
  await tx.execute(
    `insert into borsello.dealer (partner_key, dealer_key) values ('acme', 'dealer-rome')
     on conflict do nothing`,
  );
};

/** An own database with the partner `acme`; a second call with its url opens it once more. */
export const openBankTest = async (url?: string): Promise<BankTest> => {
  const created = url === undefined ? await createDatabase({ migrated: true }) : undefined;
  const address = url ?? created?.url ?? "";
  const database = openDatabase({
    connection: { kind: "url", url: address },
    logger: silentLogger,
    prepare: writePartner,
  });
  await database.ready();
  return {
    database,
    url: address,
    end: async () => {
      await database.close();
      await created?.drop();
    },
  };
};

export interface WaitingWallet {
  readonly walletId: string;
  readonly code: string;
  readonly iban: string;
}

const Inserted = z.object({ walletId: z.string() });

/** A wallet of Maria Rossi whose IBAN waits for 1.00 with its code. */
export const writeWaitingWallet = async (database: Database): Promise<WaitingWallet> => {
  const mark = randomBytes(4).toString("hex").toUpperCase();
  const iban = `IT60X${mark.padEnd(22, "0")}`;
  const wallet = await database.row(
    Inserted,
    `with wallet as (
       insert into borsello.wallet (partner_key, tax_id, first_name, last_name, phone_number, email,
         originating_dealer_key, iban, iban_validation_code)
       values ('acme', $1, 'Maria', 'Rossi', '+393331234567', lower($1) || '@example.com',
         'dealer-rome', $2, $1)
       returning wallet_id
     ), validation as (
       insert into borsello.iban_validation
         (wallet_id, attempt, partner_key, iban, code, transfer_amount_cents, expires_at)
       select wallet_id, 1, 'acme', $2, $1, 100, borsello.platform_now() + interval '30 days'
       from wallet
     )
     select wallet_id as "walletId" from wallet`,
    [mark, iban],
  );
  if (wallet === undefined) throw new Error("the wallet was not written");
  return { walletId: wallet.walletId, code: mark, iban };
};

/** The transfer that validates the wallet's IBAN, unless the test changes something in it. */
export const sctFor = (
  wallet: WaitingWallet,
  changes: Partial<BankNotificationMessage> = {},
): BankNotificationMessage => ({
  type: "IncomingSctStandard",
  transactionReference: randomBytes(8).toString("hex"),
  paymentGatewayReference: null,
  debtorName: "ROSSI MARIA",
  debtorIban: wallet.iban,
  creditorName: "Borsello",
  creditorIban: collectionIban,
  amount: 1,
  reason: `Verification ${wallet.code.slice(0, 4)} ${wallet.code.slice(4).toLowerCase()}`,
  receptionDate: "2026-01-15T09:30:00.000Z",
  ...changes,
});

/** Receives a transfer that is new. */
export const receive = async (
  database: Database,
  message: BankNotificationMessage,
): Promise<Extract<ReceivedNotification, { result: "stored" }>> => {
  const received = await receiveNotification(database, message);
  if (received.result !== "stored") throw new Error(`the notification is ${received.result}`);
  return received;
};

const OutboxRow = z.object({
  messageId: z.string(),
  subject: z.string(),
  sessionId: z.string(),
  destinations: z.array(z.string()),
  body: z.record(z.string(), z.unknown()),
  isSent: z.boolean(),
  attempts: z.int(),
});
export type OutboxRow = z.infer<typeof OutboxRow>;

/** What was written for a session, in the order in which it leaves. */
export const outboxOf = (database: Queryable, sessionId: string): Promise<OutboxRow[]> =>
  database.rows(
    OutboxRow,
    `select message_id as "messageId", subject, session_id as "sessionId", destinations, body,
       sent_at is not null as "isSent", attempts
     from borsello.outbox where session_id = $1 order by outbox_id`,
    [sessionId],
  );

const Counted = z.object({ count: z.bigint() });

export const countOf = async (
  database: Queryable,
  text: string,
  values: readonly unknown[] = [],
): Promise<number> => Number((await database.row(Counted, text, values))?.count ?? 0n);
