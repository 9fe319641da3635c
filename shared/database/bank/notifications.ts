/** Notifications from the bank: each stored once, for its partner, and bound to the IBAN validation that it may belong to. */
import { z } from "zod";
import type { BankNotificationMessage } from "../../contracts/platform/bank-messages.js";
import { compact, possibleCodes } from "../../domain/bank/sct-match.js";
import { centsOf } from "../../domain/money.js";
import type { Database, Queryable } from "../platform/database.js";

const Received = z.object({
  bankNotificationId: z.string(),
  walletId: z.string().nullable(),
  feedback: z.string().nullable(),
});

export type ReceivedNotification =
  | ({ readonly result: "stored" } & z.infer<typeof Received>)
  /** It was received before; nothing has changed. */
  | { readonly result: "repeated" }
  /** Another transfer has this gateway reference. */
  | { readonly result: "referenceReused" };

/** Whether a partner's instructions name the account that the transfer reached. */
const reachesItsAccount = `
  borsello.collection_account(partner, (select platform_account from given)) =
    (select creditor_iban from given)`;

/**
 * Which validations and wallets a transfer may belong to, and whose it is. The lock on a validation
 * that waits makes its end wait for this transfer, or this transfer for its end: such a one is no
 * candidate any more, and still Waiting in what the statement saw at its beginning.
 */
const recipients = `
  given (type, transaction_reference, payment_gateway_reference, debtor_name, debtor_iban,
    creditor_name, creditor_iban, amount_cents, reason, reception_date, codes, platform_account) as (
    values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::bigint, $9::text,
      $10::timestamptz, $11::bpchar[], $12::text)
  ), candidate as (
    select validation.wallet_id, validation.attempt, validation.partner_key
    from borsello.iban_validation as validation
    join borsello.partner using (partner_key)
    where validation.status = 'Waiting' and validation.code = any((select codes from given)::bpchar[])
      and $1 in ('IncomingSctStandard', 'IncomingSctInstant') and ${reachesItsAccount}
    for share of validation
  ), ended as (
    select validation.wallet_id, validation.partner_key, validation.status, wallet.is_iban_validated
      and wallet.iban_validation_code = validation.code as is_present
    from borsello.iban_validation as validation join borsello.wallet using (wallet_id)
    join borsello.partner on partner.partner_key = wallet.partner_key
    where validation.code = any((select codes from given)::bpchar[]) and not exists (select from candidate)
      and $1 in ('IncomingSctStandard', 'IncomingSctInstant') and ${reachesItsAccount}
  ), named as (
    select wallet_id, partner_key from ended where is_present
  ), owner as (
    select wallet_id, wallet.partner_key
    from borsello.wallet join borsello.partner using (partner_key)
    where wallet.iban = (select debtor_iban from given) and wallet.is_iban_validated
      and not exists (select from candidate) and not exists (select from named)
      and $1 in ('IncomingSctStandard', 'IncomingSctInstant') and ${reachesItsAccount}
  ), holder as (
    select * from named union all select * from owner
  ), recipient as (
    select wallet_id, attempt, partner_key, 'IbanValidation' as purpose
    from candidate where (select count(*) from candidate) = 1
    union all
    select wallet_id, null, partner_key, 'WalletDeposit'
    from holder where (select count(*) from holder) = 1
  )`;

/** Null where a validation's flow decides. Another partner's wallets are nobody else's business. */
const firstFeedback = `
  case
    when recipient.attempt is not null then null
    when recipient.wallet_id is not null then 'Deposit: this transfer belongs to a wallet whose IBAN '
      'is validated; the platform does not credit deposits by itself yet'
    when type = 'IncomingReconciliation' then 'Reconciliation: the platform does not match what '
      'stores pay with their reconciliation groups by itself yet'
    when type = 'IncomingSdd' then 'Mandate: a credit of a direct debit validates no IBAN; the platform '
      'does not match it with its collection by itself yet'
    when exists (select from candidate) then 'Code: the reason holds the codes of several open IBAN '
      'validations; the code of one of them alone would fit'
    when exists (select from holder) then 'Wallet: several wallets fit; the code of one of them alone '
      'would fit'
    when exists (select from ended) then (
      select 'Code: the IBAN validation with this code has ended, as '
        || borsello.iban_validation_end(ended.status)
        || '; the code of the wallet''s present instructions would fit' from ended limit 1)
    when borsello.collecting_partner(creditor_iban) is null then
      'Account: no partner collects on the account that the transfer reached; '
      'one to the account that the instructions name would fit'
    else 'Code: the reason holds the code of no open IBAN validation, and the debtor''s IBAN is not '
      'validated; the code of a wallet''s instructions would fit'
  end`;

const receive = `
  with ${recipients}, stored as (
    insert into borsello.bank_notification
      (type, transaction_reference, payment_gateway_reference, debtor_name, debtor_iban,
       creditor_name, creditor_iban, amount_cents, reason, reception_date, content_hash, repeat_key,
       wallet_id, iban_attempt, is_due, partner_key, reconciliation_type, feedback)
    select type, transaction_reference, payment_gateway_reference, debtor_name, debtor_iban,
      creditor_name, creditor_iban, amount_cents, reason, reception_date, content_hash,
      borsello.repeat_key(payment_gateway_reference, content_hash),
      recipient.wallet_id, recipient.attempt, recipient.attempt is not null,
      coalesce(recipient.partner_key, borsello.collecting_partner(creditor_iban),
        borsello.operating_partner()),
      coalesce(recipient.purpose, 'None'), ${firstFeedback}
    from given left join recipient on true, lateral (select borsello.transfer_content(type,
      transaction_reference, payment_gateway_reference, debtor_name, debtor_iban, creditor_name,
      creditor_iban, amount_cents, reason, reception_date)) as content (content_hash)
    where not exists (select from ended where status = 'Waiting')
    on conflict on constraint bank_notification_once do nothing
    returning *
  ), audited as (
    insert into borsello.audit (actor, partner_key, entity, entity_id, action, to_status)
    select 'bank', partner_key, 'BankNotification', bank_notification_id::text, 'receive', status
    from stored
  ), told as (
    insert into borsello.outbox (destinations, session_id, subject, body)
    select '{platform-events}', wallet_id::text, 'SctReceived', json_build_object(
      'walletId', wallet_id, 'partnerKey', partner_key, 'attempt', iban_attempt,
      'bankNotificationId', bank_notification_id)
    from stored where iban_attempt is not null
  )
  select bank_notification_id as "bankNotificationId", wallet_id as "walletId", feedback
  from stored`;

const original = `
  select n.content_hash = content.content_hash as "isSame"
  from borsello.bank_notification as n, (select borsello.transfer_content($1, $2, $3, $4, $5, $6, $7,
    $8, $9, $10)) as content (content_hash)
  where n.repeat_key = borsello.repeat_key($3, content.content_hash)`;

const looksMax = 5;

/**
 * One statement: the notification, its audit row and, where its reason names the code of exactly
 * one open IBAN validation, the message that wakes that validation's flow. Otherwise it waits for a
 * person, with a feedback that says what would fit. `platformAccount` is the account that the
 * instructions of partners without an own one name.
 */
export const receiveNotification = async (
  database: Database,
  message: BankNotificationMessage,
  platformAccount: string | null = null,
): Promise<ReceivedNotification> => {
  const content = [
    message.type,
    message.transactionReference,
    message.paymentGatewayReference,
    message.debtorName,
    compact(message.debtorIban),
    message.creditorName,
    compact(message.creditorIban),
    centsOf(message.amount),
    message.reason,
    message.receptionDate,
  ];
  const codes = possibleCodes(message.reason);
  for (let looked = 1; ; looked += 1) {
    const stored = await database.command(Received, receive, [...content, codes, platformAccount]);
    if (stored !== undefined) return { result: "stored", ...stored };
    const known = await database.row(z.object({ isSame: z.boolean() }), original, content);
    if (known !== undefined) return { result: known.isSame ? "repeated" : "referenceReused" };
    // Its validation ended while the statement waited for it: another look sees what holds now.
    if (looked === looksMax) throw new Error("A notification's validation ended again and again.");
  }
};

const Owner = z.object({ partnerKey: z.string().nullable() });

/** Whose collection account this is; null: nobody's. */
export const collectingPartner = async (
  database: Queryable,
  iban: string,
): Promise<string | null> =>
  (await database.row(Owner, `select borsello.collecting_partner($1) as "partnerKey"`, [iban]))
    ?.partnerKey ?? null;
