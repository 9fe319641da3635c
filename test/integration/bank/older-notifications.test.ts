/** Notifications of a database that is older than their contents and feedbacks: none is lost, none unanswered. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { receiveNotification } from "../../../shared/database/bank/notifications.js";
import { createOlderDatabase } from "../../support/database/older-database.js";
import {
  collectionIban,
  countOf,
  openBankTest,
  sctFor,
  type BankTest,
} from "../../support/wallet/bank-fixtures.js";

const walletIds = [1, 2].map((end) => `0190a6b0-5a51-7000-8000-00000000000${end}`);

const before = `
  insert into borsello.partner (partner_key, client_id, client_secret_salt, client_secret_hash,
    auth_key_salt, auth_key_hash, roles, is_operator, settings)
  select key, key, '', '', '', '', '{}', key = 'platform', settings from (values
    ('acme', '{"ibanVerification": {"destinationIban": "${collectionIban}"}}'::jsonb),
    ('platform', '{}')) as partner (key, settings);
  insert into borsello.dealer values ('acme', 'dealer-rome');
  insert into borsello.wallet (wallet_id, partner_key, tax_id, first_name, last_name, phone_number,
    email, originating_dealer_key, iban)
  select id::uuid, 'acme', upper(id), 'Maria', 'Rossi', '+39', id, 'dealer-rome', 'IT' || upper(id)
  from unnest(array['${walletIds.join("','")}']) as id;
  insert into borsello.iban_validation
    (wallet_id, attempt, partner_key, iban, code, transfer_amount_cents, status, expires_at)
  select id::uuid, 1, 'acme', 'IT' || upper(id), code, 100, status, now() + interval '1 day'
  from (values ('${walletIds.join("', 'AAAA1111', 'Waiting'), ('")}', 'BBBB2222', 'Validated'))
    as validation (id, code, status);
  insert into borsello.bank_notification (type, transaction_reference, payment_gateway_reference,
    creditor_iban, debtor_name, debtor_iban, amount_cents, reason, reception_date, wallet_id,
    partner_key, reconciliation_type, feedback, attempts)
  select 'IncomingSctStandard', reference, gateway, '${collectionIban}', 'ROSSI MARIA', 'IT1', 150,
    reason, '2026-01-15T09:30:00Z', wallet::uuid, case when wallet is not null then 'acme' end,
    case when wallet is null then 'None' else 'IbanValidation' end, feedback,
    case when feedback is null then 0 else 1 end
  from (values
    ('same', 'gate', 'rent', null, 'Code: none'), ('other', 'gate', 'rent', null, 'Code: none'),
    ('waits', null, 'aaaa 1111', '${walletIds[0] ?? ""}', 'Amount: not the one'),
    ('lost', null, 'bbbb 2222', '${walletIds[1] ?? ""}', null),
    ('given', null, 'savings', '${walletIds[1] ?? ""}', 'Deposit: not by itself yet')
  ) as sent (reference, gateway, reason, wallet, feedback);`;

let bank: BankTest;
let drop: () => Promise<void>;

beforeAll(async () => {
  const created = await createOlderDatabase("0026", before);
  bank = await openBankTest(created.url);
  drop = () => created.drop();
});
afterAll(async () => {
  await bank.end();
  await drop();
});

const Known = z.object({
  reference: z.string(),
  partner: z.string().nullable(),
  feedback: z.string().nullable(),
  isDue: z.boolean(),
});

test("each has its partner, and either a feedback or another try", async () => {
  expect(
    await bank.database.rows(
      Known,
      `select transaction_reference as reference, partner_key as partner, feedback, is_due as "isDue"
       from borsello.bank_notification order by 1`,
    ),
  ).toEqual([
    {
      ...{ reference: "given", partner: "acme", isDue: true },
      feedback: "Deposit: not by itself yet",
    },
    {
      ...{ reference: "lost", partner: "acme", isDue: false },
      feedback: "Code: the IBAN validation with this code has ended",
    },
    { reference: "other", partner: "acme", feedback: "Code: none", isDue: false },
    { reference: "same", partner: "acme", feedback: "Code: none", isDue: false },
    { reference: "waits", partner: "acme", feedback: "Amount: not the one", isDue: true },
  ]);
  expect(
    await countOf(
      bank.database,
      "select count(*) from borsello.outbox where session_id = $1 and subject = 'SctReceived'",
      [walletIds[0]],
    ),
  ).toBe(1);
});

test("each is booked against the suspense account, once", async () => {
  const booked = `select count(*) from borsello.bank_notification as n
    join borsello.ledger_transaction as t on t.cause_id = n.bank_notification_id
    join borsello.entry using (transaction_id) join borsello.account using (account_id)
    where n.is_booked and t.kind = 'Notification' and entry.amount_cents = n.amount_cents
      and account.kind = 'Suspense' and account.partner_key = 'acme'`;
  expect(await countOf(bank.database, booked)).toBe(5);
});

test("a repeat of one of them is known", async () => {
  const message = {
    ...sctFor({ walletId: "", code: "AAAA1111", iban: "it 1" }),
    ...{ transactionReference: "waits", creditorName: null, amount: 1.5, reason: "aaaa 1111" },
  };
  expect(await receiveNotification(bank.database, message)).toEqual({ result: "repeated" });
  const gate = { ...message, paymentGatewayReference: "gate", reason: "rent" };
  for (const [transactionReference, result] of [
    ["same", "repeated"],
    ["third", "referenceReused"],
  ] as const)
    expect(await receiveNotification(bank.database, { ...gate, transactionReference })).toEqual({
      result,
    });
});
