-- Lets wallets be deleted for good: outside production, before the first call. One at a time, since
-- several instances may start at once.
do $prepare$ begin
  perform pg_advisory_xact_lock(7364113);

  -- Replaces what production has: there, no transaction is ever deleting a wallet.
  create or replace function borsello.is_being_deleted(of_wallet uuid) returns boolean
  language sql stable
  return current_setting('borsello.deleted_wallet', true) = of_wallet::text;

  -- What links of the audit chain cover is noted by its hash, so that they can still be checked.
  -- The documents are noted by their exact keys, one per signature and the filled form behind it: a
  -- sweep removes them from their store. Those in the database go at once.
  create or replace function borsello.force_delete_wallet(of_wallet uuid, actor text)
  returns void language plpgsql security definer set search_path = borsello, pg_temp as $delete$
  declare
    accounts bigint[] := array(select account_id from bucket where wallet_id = of_wallet);
    operations uuid[] := array(select operation_id from operation where wallet_id = of_wallet);
    sealed_through bigint;
  begin
    perform lock_audit_chain();
    select transaction_through into sealed_through from audit_link order by link_id desc limit 1;
    perform set_config('borsello.deleted_wallet', of_wallet::text, true);
    insert into outbox (destinations, session_id, subject, body)
    select '{platform-events}', of_wallet::text, subject, body from (
      select 1 as place, 'IbanChanged' as subject, json_build_object('walletId', wallet_id,
        'partnerKey', partner_key, 'attempt', attempt) as body
      from iban_validation where wallet_id = of_wallet and status = 'Waiting'
      union all
      select 2, 'OnboardingClosed',
        json_build_object('walletId', wallet_id, 'partnerKey', partner_key)
      from wallet where wallet_id = of_wallet) as message
    order by place;
    insert into audit (actor, partner_key, entity, entity_id, action, from_status, detail)
    select force_delete_wallet.actor, partner_key, 'Wallet', wallet_id::text, 'forceDelete', status,
      json_build_object('operations', cardinality(operations), 'buckets', cardinality(accounts),
        'stores', (
          select coalesce(json_agg(distinct store_id), '[]') from operation
          where operation_id = any(operations) and store_id is not null),
        'sealedTransactions', (
          select coalesce(json_object_agg(transaction_id,
            encode(transaction_hash(ledger_transaction), 'hex')), '{}')
          from ledger_transaction
          where operation_id = any(operations) and transaction_id <= sealed_through))
    from wallet where wallet_id = of_wallet;

    delete from entry using ledger_transaction as posted
    where entry.transaction_id = posted.transaction_id and posted.operation_id = any(operations);
    delete from ledger_transaction where operation_id = any(operations);
    -- The bank still has what it was credited with: that is in suspense again, and nobody's. What the
    -- wallet's own operations had put there is booked as what has arrived.
    with given as (
      select bank_notification_id, sum(net_amount_cents)::bigint as cents from operation
      where operation_id = any(operations) and bank_notification_id is not null
      group by bank_notification_id
      union all
      select bank_notification_id, amount_cents from bank_notification
      where operation_id = any(operations) and not exists (
        select from operation as o
        where o.bank_notification_id = bank_notification.bank_notification_id)
    ), released as (
      update bank_notification as n
      set consumed_amount_cents = consumed_amount_cents - given.cents, feedback = null,
        status = case when consumed_amount_cents = given.cents then 'Received'
          else 'PartiallyConsumed' end
      from given
      where n.bank_notification_id = given.bank_notification_id and n.is_booked
        and n.status in ('Consumed', 'PartiallyConsumed')
      returning n.bank_notification_id, n.partner_key, old.status as before, n.status as after
    )
    insert into audit (actor, partner_key, entity, entity_id, action, from_status, to_status)
    select force_delete_wallet.actor, partner_key, 'BankNotification', bank_notification_id::text,
      'release', before, after from released;
    perform post_cause(null, bank_notification_id, null, 'Notification',
      array[account_for(partner_key, 'Bank', 'safeguarding'),
        account_for(partner_key, 'Suspense', 'received')], array[-amount_cents, amount_cents])
    from bank_notification where source_operation_id = any(operations);
    update bank_notification set source_operation_id = null
    where source_operation_id = any(operations);
    update bank_notification set wallet_id = null, operation_id = null, iban_attempt = null,
      is_due = false,
      feedback = case when status = 'Received'
        then coalesce(feedback, 'Wallet: the wallet was deleted for good') else feedback end
    where wallet_id = of_wallet or operation_id = any(operations);
    update bank_request set wallet_id = null, mandate_id = null where wallet_id = of_wallet;
    delete from operation where wallet_id = of_wallet;
    delete from operation_group where wallet_id = of_wallet;
    delete from bucket where wallet_id = of_wallet;
    delete from account where account_id = any(accounts);

    insert into doomed_document (document_key)
    select 'contract/' || of_wallet || '/' || signature || suffix
    from contract, generate_series(1, attempt) as signature, (values (''), ('/filled')) as stage (suffix)
    where wallet_id = of_wallet
    union all
    select 'mandate/' || mandate_id || '/' || signature
    from mandate, generate_series(1, sign_attempt) as signature where wallet_id = of_wallet;
    delete from document using doomed_document where document.document_key = doomed_document.document_key;
    delete from contract where wallet_id = of_wallet;
    delete from mandate where wallet_id = of_wallet;
    delete from iban_validation where wallet_id = of_wallet;
    delete from wallet where wallet_id = of_wallet;
    perform set_config('borsello.deleted_wallet', '', true);
  end $delete$;
end $prepare$;
