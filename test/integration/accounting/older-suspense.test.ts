/** What an older database holds in suspense for closed wallets: each cent is shown as a notification then. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { readBook } from "../../../shared/database/accounting/book.js";
import { checkNotifications } from "../../../shared/database/accounting/check-notifications.js";
import { createOlderDatabase } from "../../support/database/older-database.js";
import { openBankTest, outboxOf, type BankTest } from "../../support/wallet/bank-fixtures.js";

const id = (end: number): string => `0190a6b0-5a51-7000-8000-00000000000${end}`;
const [walletId, refused, returned, sentBack] = [id(1), id(2), id(3), id(4)] as const;

const rows = `
  insert into borsello.partner (partner_key, client_id, client_secret_salt, client_secret_hash,
    auth_key_salt, auth_key_hash, roles, is_operator, settings)
  select key, key, '', '', '', '', '{}', key = 'platform', '{}'
  from unnest(array['acme', 'platform']) as key;
  insert into borsello.dealer values ('acme', 'dealer-rome');
  insert into borsello.wallet (wallet_id, partner_key, tax_id, first_name, last_name, phone_number,
    email, originating_dealer_key, iban, is_iban_validated, status)
  values ('${walletId}', 'acme', 'T', 'Maria', 'Rossi', '+39', 'e', 'dealer-rome', 'IT60X', true,
    'Closed');
  insert into borsello.bucket (bucket_id, wallet_id, partner_key, account_id, funds_type,
    is_withdrawable)
  values ('${id(9)}', '${walletId}', 'acme', borsello.account_for('acme', 'Bucket', '${id(9)}'),
    'Standard', true);
  insert into borsello.operation (operation_id, wallet_id, partner_key, type, amount_cents,
    final_amount_cents, net_amount_cents, fees_amount_cents, status, funds_type, bucket_id,
    creditor_name, creditor_iban, metadata)
  select operation, '${walletId}', 'acme', type, 500, 500, 500, 0, status, 'Standard', '${id(9)}',
    name, iban, metadata
  from (values
    ('${refused}'::uuid, 'SctWithdrawal', 'OutgoingPaymentRejected', 'Maria Rossi', 'IT60X', null),
    ('${returned}', 'SctWithdrawal', 'Completed', 'Maria Rossi', 'IT60X', null),
    ('${sentBack}', 'SctStandardDeposit', 'Completed', null, null,
      json_build_object('returnOf', '${returned}'))
  ) as made (operation, type, status, name, iban, metadata);
  create function pg_temp.post(of_operation text, kind text, from_kind text, to_kind text)
  returns bigint language sql as $$
    select borsello.post_movement(of_operation::uuid, kind, array[
      borsello.account_for('acme', from_kind, from_kind), borsello.account_for('acme', to_kind,
        case to_kind when 'Suspense' then 'received' else to_kind end)], array[-500, 500]) $$;
  select pg_temp.post('${refused}', 'Withdrawal', 'Cards', 'Transit');
  select pg_temp.post('${refused}', 'Reversal', 'Transit', 'Suspense');
  select pg_temp.post('${sentBack}', 'Deposit', 'Bank', 'Suspense');`;

let bank: BankTest;
let drop: () => Promise<void>;
beforeAll(async () => {
  const created = await createOlderDatabase("0031", rows);
  bank = await openBankTest(created.url);
  drop = () => created.drop();
});
afterAll(async () => {
  await bank.end();
  await drop();
});

const Shown = z.object({
  status: z.string(),
  cents: z.bigint(),
  type: z.string(),
  debtor: z.string(),
  link: z.string(),
});

test("what closed wallets' operations left there is shown, told and proved", async () => {
  const shown = await bank.database.rows(
    Shown,
    `select status, amount_cents - consumed_amount_cents as cents, reconciliation_type as type,
       debtor_name || ' ' || debtor_iban as debtor,
       coalesce(metadata ->> 'returnOf', metadata ->> 'reversalOf') as link
     from borsello.bank_notification order by bank_notification_id`,
  );
  const held = { status: "Received", cents: 500n, type: "Return", debtor: "Maria Rossi IT60X" };
  expect(shown).toEqual([
    { ...held, link: refused },
    { ...held, link: returned },
  ]);
  const told = await outboxOf(bank.database, walletId);
  expect(told.map(({ subject }) => subject)).toEqual([
    "BankNotificationReceived",
    "BankNotificationReceived",
  ]);
  const findings: string[] = [];
  await readBook({ kind: "url", url: bank.url }, (book) =>
    checkNotifications(book, {
      find: (_, detail) => findings.push(detail),
      advance: () => undefined,
      note: () => undefined,
    }),
  );
  expect(findings).toEqual([]);
});
