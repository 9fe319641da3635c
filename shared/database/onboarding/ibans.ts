/** A wallet's IBAN: set it to be validated, remove it, read what its validation asks for. */
import { z } from "zod";
import { Wallet } from "../../contracts/wallet/wallets.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import { newValidationCode } from "../../platform/readable-codes.js";
import { uniqueViolation, type Database, type Queryable } from "../platform/database.js";
import { lockWallet, notClosed, type Actor, type WalletRefusal } from "../access/wallet-access.js";

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

/** The wallet that has this very IBAN already: a client that repeats its call must not lose its code. */
const sameIban = `
  select borsello.wallet_record(w) as wallet from borsello.wallet as w
  where wallet_id = $1 and iban = $2 and bic is not distinct from $3`;

const codeAttemptsMax = 5;

/** Starts a validation of this IBAN; another one that waits is replaced, the same one goes on. */
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
      const open = notClosed(locked.value);
      if (!open.ok) return open;
      const same =
        locked.value.iban === iban
          ? await tx.row(Changed, sameIban, [walletId, iban, bic])
          : undefined;
      if (same !== undefined && same.wallet.ibanValidationCode !== null)
        return success({ wallet: same.wallet, code: same.wallet.ibanValidationCode });
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

/** Removes the IBAN, validated or not; a validation that waits ends. */
export const deleteIban = (
  database: Database,
  actor: Actor,
  walletId: string,
): Promise<Outcome<Wallet, WalletRefusal | "IbanNotSet">> =>
  database.transaction(async (tx) => {
    const locked = await lockWallet(tx, actor, walletId);
    if (!locked.ok) return locked;
    if (locked.value.iban === null) return refusal("IbanNotSet", { walletId });
    const changed = await tx.row(Changed, clearIban, [walletId, actor.clientId]);
    if (changed === undefined) throw new Error("A locked wallet was gone before its change.");
    return success(changed.wallet);
  });

const Validation = z.object({
  attempt: z.int(),
  iban: z.string(),
  code: z.string(),
  transferAmountCents: z.bigint(),
  status: z.enum(["Waiting", "Validated", "Expired", "Replaced"]),
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
