/** Notifications from the bank: stored once, given to the one IBAN validation that they may belong to. */
import { z } from "zod";
import type { BankNotificationMessage } from "../../contracts/platform/bank-messages.js";
import { compact, possibleCodes } from "../../domain/bank/sct-match.js";
import { centsOf } from "../../domain/money.js";
import type { Database } from "../platform/database.js";

const Received = z.object({
  bankNotificationId: z.string(),
  walletId: z.string().nullable(),
  feedback: z.string().nullable(),
});
export type ReceivedNotification = z.infer<typeof Received>;

/**
 * One statement: the notification, its audit row and, where its reason names the code of exactly
 * one open IBAN validation, the message that wakes that validation's flow. Without one it waits
 * for a person, with a feedback that says why. Undefined: it was received before.
 */
export const receiveNotification = (
  database: Database,
  message: BankNotificationMessage,
): Promise<ReceivedNotification | undefined> =>
  database.command(
    Received,
    `with candidate as (
       select validation.wallet_id, validation.attempt, wallet.partner_key
       from borsello.iban_validation as validation join borsello.wallet using (wallet_id)
       where validation.status = 'Waiting' and validation.code = any($1::bpchar[])
         and $2 in ('IncomingSctStandard', 'IncomingSctInstant')
     ), holder as (
       select wallet_id, partner_key from borsello.wallet
       where iban = $7 and is_iban_validated and not exists (select from candidate)
         and $2 in ('IncomingSctStandard', 'IncomingSctInstant')
     ), recipient as (
       select wallet_id, attempt, partner_key, 'IbanValidation' as purpose, null as feedback
       from candidate where (select count(*) from candidate) = 1
       union all
       select wallet_id, null, partner_key, 'WalletDeposit',
         'Awaiting: a deposit from the validated IBAN of this wallet'
       from holder where (select count(*) from holder) = 1
     ), stored as (
       insert into borsello.bank_notification
         (type, transaction_reference, payment_gateway_reference, debtor_name, debtor_iban,
          creditor_name, creditor_iban, amount_cents, reason, reception_date, wallet_id,
          partner_key, reconciliation_type, feedback)
       select $2, $3, $4, $6, $7, $8, $9, $10, $5, $11, recipient.wallet_id, recipient.partner_key,
         coalesce(recipient.purpose, 'None'),
         case when recipient.wallet_id is null
           then case when exists (select from candidate)
             then 'Code: the reason contains the codes of several open IBAN validations'
             else 'Code: the reason contains the code of no open IBAN validation' end
           else recipient.feedback end
       from (select) as one left join recipient on true
       on conflict on constraint bank_notification_once do nothing
       returning *
     ), audited as (
       insert into borsello.audit (actor, partner_key, entity, entity_id, action, to_status)
       select 'bank', partner_key, 'BankNotification', bank_notification_id::text, 'receive', status
       from stored
     ), told as (
       insert into borsello.outbox (destinations, session_id, subject, body)
       select '{platform-events}', recipient.wallet_id::text, 'SctReceived', json_build_object(
         'walletId', recipient.wallet_id, 'partnerKey', recipient.partner_key, 'attempt', recipient.attempt,
         'bankNotificationId', stored.bank_notification_id)
       from stored join recipient on recipient.attempt is not null
     )
     select bank_notification_id as "bankNotificationId", wallet_id as "walletId", feedback
     from stored`,
    [
      possibleCodes(message.reason),
      message.type,
      message.transactionReference,
      message.paymentGatewayReference,
      message.reason,
      message.debtorName,
      compact(message.debtorIban),
      message.creditorName,
      compact(message.creditorIban),
      centsOf(message.amount),
      message.receptionDate,
    ],
  );
