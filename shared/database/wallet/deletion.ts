/** Deletes a closed wallet for good: outside production only, where the database has the function for it. */
import type { Wallet } from "../../contracts/wallet/wallets.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Database, Queryable } from "../platform/database.js";
import { lockWallet, type Actor, type WalletRefusal } from "../access/wallet-access.js";
import { readWallet } from "./wallets.js";

/** Any number, the same in all instances: they put the functions in place one at a time. */
const functionsLock = 7_364_113;

/** Replaces what production has: there, no transaction is ever deleting a wallet. */
const isBeingDeleted = `
  create or replace function borsello.is_being_deleted(of_wallet uuid) returns boolean
  language sql stable
  return current_setting('borsello.deleted_wallet', true) = of_wallet::text;`;

const isNeverDeleted = `
  create or replace function borsello.is_being_deleted(of_wallet uuid) returns boolean
  language sql stable return false;`;

/**
 * The documents are noted by their exact keys, one per signature and the filled form behind it: a sweep
 * removes them from their store. Those in the database go at once.
 */
const forceDelete = `
  create or replace function borsello.force_delete_wallet(of_wallet uuid, actor text)
  returns void language plpgsql security definer set search_path = borsello, pg_temp as $delete$
  declare
    accounts bigint[] := array(select account_id from bucket where wallet_id = of_wallet);
    operations uuid[] := array(select operation_id from operation where wallet_id = of_wallet);
  begin
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
      json_build_object('operations', cardinality(operations), 'buckets', cardinality(accounts))
    from wallet where wallet_id = of_wallet;

    delete from entry using ledger_transaction as posted
    where entry.transaction_id = posted.transaction_id and posted.operation_id = any(operations);
    delete from ledger_transaction where operation_id = any(operations);
    update bank_notification set wallet_id = null, operation_id = null
    where wallet_id = of_wallet or operation_id = any(operations);
    update bank_request set wallet_id = null, mandate_id = null where wallet_id = of_wallet;
    delete from operation where wallet_id = of_wallet;
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
  end $delete$;`;

const inTurn = (statements: string): string => `
  do $prepare$ begin
    perform pg_advisory_xact_lock(${functionsLock});
    ${statements}
  end $prepare$`;

/** Outside production, before the first call. */
export const allowForceDelete = async (queryable: Queryable): Promise<void> => {
  await queryable.execute(inTurn(isBeingDeleted + forceDelete));
};

/** In production, where the database may have served for tests before. */
export const forbidForceDelete = async (queryable: Queryable): Promise<void> => {
  await queryable.execute(
    inTurn(`drop function if exists borsello.force_delete_wallet(uuid, text); ${isNeverDeleted}`),
  );
};

/** Answers the wallet as it was last. */
export const destroyWallet = (
  database: Database,
  actor: Actor,
  walletId: string,
): Promise<Outcome<Wallet, WalletRefusal | "WalletNotClosed">> =>
  database.transaction(async (tx): Promise<Outcome<Wallet, WalletRefusal | "WalletNotClosed">> => {
    const locked = await lockWallet(tx, actor, walletId);
    if (!locked.ok) return locked;
    const { status } = locked.value;
    if (status !== "Closed") return refusal("WalletNotClosed", { status });
    const wallet = await readWallet(tx, walletId);
    if (wallet === undefined) throw new Error("A locked wallet was gone before its change.");
    await tx.execute("select borsello.force_delete_wallet($1, $2)", [walletId, actor.clientId]);
    return success(wallet);
  });
