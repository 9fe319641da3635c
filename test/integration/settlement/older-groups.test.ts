/** Groups of a database that is older than their payments: what is even is over, what is owed can be paid. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { retryNotification } from "../../../shared/database/bank/notifications.js";
import { createOlderDatabase } from "../../support/database/older-database.js";
import { creditBy, groupsOf } from "../../support/settlement/store-money.js";
import { openBankTest, type BankTest } from "../../support/wallet/bank-fixtures.js";

const storeId = "0190a6b0-5a51-7000-8000-000000000001";
const bankNotificationId = "0190a6b0-5a51-7000-8000-000000000002";

const before = `
  insert into borsello.partner (partner_key, client_id, client_secret_salt, client_secret_hash,
    auth_key_salt, auth_key_hash, roles, is_operator)
  select key, key, '', '', '', '', '{}', key = 'platform'
  from unnest(array['acme', 'platform']) as key;
  insert into borsello.dealer values ('acme', 'dealer-rome');
  insert into borsello.store (store_id, partner_key, dealer_key, name, city, address, account_id,
    email, phone_number, code)
  values ('${storeId}', 'acme', 'dealer-rome', 'Bottega', 'Roma', 'Via Appia 1',
    borsello.account_for('acme', 'Store', '${storeId}'), 'b@example.com', '06', 'B');
  insert into borsello.reconciliation_group (partner_key, store_id, day, code, owed_to_store_cents)
  values ('acme', '${storeId}', '2026-01-15', 'RCABCDEFGH22', 0),
    ('acme', '${storeId}', '2026-01-16', 'RCABCDEFGH33', -500);
  insert into borsello.bank_notification (bank_notification_id, partner_key, type, reception_date,
    creditor_iban, debtor_name, debtor_iban, amount_cents, reason, transaction_reference, feedback,
    content_hash, repeat_key)
  values ('${bankNotificationId}', 'acme', 'IncomingReconciliation', '2026-01-17T09:30:00Z', 'I', 'N',
    'I', 500, 'Reconciliation RCABCDEFGH33', 'T', 'Reconciliation: not by itself yet', '', 'T');`;

let bank: BankTest;
let drop: () => Promise<void>;
beforeAll(async () => {
  const created = await createOlderDatabase("0031", before);
  bank = await openBankTest(created.url);
  drop = () => created.drop();
});
afterAll(async () => {
  await bank.end();
  await drop();
});

test("a group that came out even is reconciled, one that the store owes waits and grows", async () => {
  expect(await groupsOf(bank.database, storeId)).toMatchObject([
    { code: "RCABCDEFGH22", status: "Reconciled", openCents: 0n, isGrowing: false },
    { code: "RCABCDEFGH33", status: "Pending", openCents: -5_00n, isGrowing: true },
  ]);
});

test("a transfer that had waited since for its group pays it when it is tried again", async () => {
  await retryNotification(bank.database, bankNotificationId, null);
  expect(await creditBy(bank.database, bankNotificationId)).toMatchObject({ status: "Consumed" });
  const [, group] = await groupsOf(bank.database, storeId);
  expect(group).toMatchObject({ status: "Reconciled", openCents: 0n });
});
