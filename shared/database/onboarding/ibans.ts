/** A wallet's IBAN: set it to be validated, remove it, read what its validation asks for. */
import { z } from "zod";
import { Wallet } from "../../contracts/wallet/wallets.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import { newValidationCode } from "../../platform/readable-codes.js";
import { disableOpenMandate } from "../mandates/disabling.js";
import { uniqueViolation, type Database, type Queryable } from "../platform/database.js";
import {
  active,
  lockWallet,
  notClosed,
  type Actor,
  type WalletRefusal,
} from "../access/wallet-access.js";

/** Already checked and in the form that is kept. */
export interface NewIban {
  readonly iban: string;
  readonly bic: string | null;
  /** What the holder has to transfer, and for how many days it is awaited. */
  readonly transferAmountCents: bigint;
  readonly validDays: number;
}

export interface AwaitedIban {
  readonly wallet: Wallet;
  /** What the transfer's reason has to hold. */
  readonly code: string;
}

export type SetIbanRefusal = WalletRefusal | "WalletNotActive" | "IbanAlreadyAssociated";

const Changed = z.object({ wallet: Wallet });

const writeIban = `
  with ended as (
    update borsello.iban_validation set status = 'Replaced', ended_at = borsello.platform_now()
    where wallet_id = $1 and status = 'Waiting'
    returning attempt
  ), changed as (
    update borsello.wallet as w set iban = $3, bic = $4, is_iban_validated = false,
      iban_validation_code = $5, version = version + 1,
      last_update_date = borsello.platform_now()
    where wallet_id = $1 returning w
  ), awaited as (
    insert into borsello.iban_validation (wallet_id, attempt, partner_key, iban, bic, code,
      transfer_amount_cents, expires_at)
    select $1, 1 + coalesce((
        select max(attempt) from borsello.iban_validation where wallet_id = $1), 0),
      (w).partner_key, $3, $4, $5, $6, borsello.platform_now() + $7 * interval '1 day'
    -- Reading the ended attempt makes PostgreSQL end it first: a wallet waits for one transfer.
    from changed where (select count(*) from ended) >= 0
    returning attempt
  )
  select borsello.wallet_record(w) as wallet, borsello.record_iban_change(w, $2, 'setIban',
    'WalletUpdated', borsello.wallet_updated_event(w), (select attempt from ended),
    (select attempt from awaited))
  from changed`;

/** For a client that repeats its call: it must not lose its code. */
const readSame = `
  select borsello.wallet_record(w) as wallet from borsello.wallet as w
  where wallet_id = $1 and bic is not distinct from $2`;

/** The same account by another BIC: whose it is was proved by its IBAN. */
const writeBic = `
  with validation as (
    update borsello.iban_validation set bic = $3
    where wallet_id = $1 and attempt = (
      select max(attempt) from borsello.iban_validation where wallet_id = $1)
  ), changed as (
    update borsello.wallet as w set bic = $3, version = version + 1,
      last_update_date = borsello.platform_now()
    where wallet_id = $1 returning w
  )
  select borsello.wallet_record(w) as wallet, borsello.record_iban_change(w, $2, 'setBic',
    'WalletUpdated', borsello.wallet_updated_event(w), null, null)
  from changed`;

/** The account that the wallet has already: its validation goes on, or stays. */
const keepIban = async (
  tx: Queryable,
  { clientId }: Actor,
  walletId: string,
  bic: string | null,
): Promise<AwaitedIban | undefined> => {
  const kept =
    (await tx.row(Changed, readSame, [walletId, bic])) ??
    (await tx.row(Changed, writeBic, [walletId, clientId, bic]));
  const code = kept?.wallet.ibanValidationCode ?? null;
  return kept === undefined || code === null ? undefined : { wallet: kept.wallet, code };
};

const codeAttemptsMax = 5;

/**
 * Starts a validation of this IBAN; another one that waits is replaced, the same one goes on whatever its
 * BIC. A mandate that debits another account is disabled.
 */
export const setIban = async (
  database: Database,
  actor: Actor,
  walletId: string,
  { iban, bic, transferAmountCents, validDays }: NewIban,
): Promise<Outcome<AwaitedIban, SetIbanRefusal>> => {
  const attempt = (): Promise<Outcome<AwaitedIban, SetIbanRefusal>> =>
    database.transaction(async (tx) => {
      const locked = await lockWallet(tx, actor, walletId);
      if (!locked.ok) return locked;
      const open = active(locked.value);
      if (!open.ok) return open;
      const kept =
        locked.value.iban === iban ? await keepIban(tx, actor, walletId, bic) : undefined;
      if (kept !== undefined) return success(kept);
      // An open mandate debits the IBAN that the wallet had.
      if (locked.value.iban !== iban) await disableOpenMandate(tx, actor, walletId);
      const code = newValidationCode();
      const values = [walletId, actor.clientId, iban, bic, code, transferAmountCents, validDays];
      const changed = await tx.row(Changed, writeIban, values);
      if (changed === undefined) throw new Error("A locked wallet was gone before its change.");
      return success({ wallet: changed.wallet, code });
    });
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      const constraint = uniqueViolation(error);
      if (constraint === "wallet_iban_once") return refusal("IbanAlreadyAssociated", { iban });
      // Two waiting validations drew the same code, once in 600 thousand million: draw again.
      if (constraint !== "iban_validation_code_once" || tried === codeAttemptsMax) throw error;
    }
  }
};

const clearIban = `
  with ended as (
    update borsello.iban_validation set status = 'Replaced', ended_at = borsello.platform_now()
    where wallet_id = $1 and status = 'Waiting'
    returning attempt
  ), changed as (
    update borsello.wallet as w set iban = null, bic = null, is_iban_validated = false,
      iban_validation_code = null, version = version + 1,
      last_update_date = borsello.platform_now()
    where wallet_id = $1 returning w
  )
  select borsello.wallet_record(w) as wallet, borsello.record_iban_change(w, $2, 'deleteIban',
    'WalletIbanDeleted', borsello.wallet_event(w), (select attempt from ended), null)
  from changed`;

/** Removes the IBAN, validated or not; a validation that waits ends, and so does an open mandate. */
export const deleteIban = (
  database: Database,
  actor: Actor,
  walletId: string,
): Promise<Outcome<Wallet, WalletRefusal | "WalletNotActive" | "IbanNotSet">> =>
  database.transaction(async (tx) => {
    const locked = await lockWallet(tx, actor, walletId);
    if (!locked.ok) return locked;
    const open = notClosed(locked.value);
    if (!open.ok) return open;
    if (locked.value.iban === null) return refusal("IbanNotSet", { walletId });
    await disableOpenMandate(tx, actor, walletId);
    const changed = await tx.row(Changed, clearIban, [walletId, actor.clientId]);
    if (changed === undefined) throw new Error("A locked wallet was gone before its change.");
    return success(changed.wallet);
  });

const Validation = z.object({
  attempt: z.int(),
  iban: z.string(),
  code: z.string(),
  transferAmountCents: z.bigint(),
  status: z.enum(["Waiting", "Validated", "Expired", "Replaced", "Closed"]),
  expiresAt: z.date(),
});
export type IbanValidation = z.infer<typeof Validation>;

/** The wallet's latest validation. */
export const findIbanValidation = (
  database: Queryable,
  walletId: string,
): Promise<IbanValidation | undefined> =>
  database.row(
    Validation,
    `select attempt, iban, code, transfer_amount_cents as "transferAmountCents", status,
       expires_at as "expiresAt"
     from borsello.iban_validation where wallet_id = $1 order by attempt desc limit 1`,
    [walletId],
  );
