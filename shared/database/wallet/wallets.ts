/** A wallet is created, with its audit row and its event, and found. */
import { z } from "zod";
import { Wallet } from "../../contracts/wallet/wallets.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import { uniqueViolation, type Database, type Queryable } from "../platform/database.js";
import { readOwned, type Actor, type WalletRefusal, type Reader } from "../access/wallet-access.js";

/** Already checked and in the form that is kept. */
export interface NewWallet {
  readonly taxId: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly phoneNumber: string;
  readonly email: string;
  readonly originatingDealerKey: string;
}

export type UniquenessRefusal = "TaxIdAlreadyAssociated" | "EmailAlreadyInUse";

/** Runs a change whose tax id or e-mail another wallet of the partner may have. */
export const unlessTaken = async <Value, Code extends string>(
  change: () => Promise<Outcome<Value, Code>>,
  { taxId, email }: { readonly taxId: string; readonly email: string },
): Promise<Outcome<Value, Code | UniquenessRefusal>> => {
  try {
    return await change();
  } catch (error) {
    const constraint = uniqueViolation(error);
    if (constraint === "wallet_tax_id_once") return refusal("TaxIdAlreadyAssociated", { taxId });
    if (constraint === "wallet_email_once") return refusal("EmailAlreadyInUse", { email });
    throw error;
  }
};

const Created = z.object({ dealerPartner: z.string().nullable(), wallet: Wallet.nullable() });

const insertWallet = `
  with dealer as (
    select partner_key from borsello.dealer where dealer_key = $8
  ), created as (
    insert into borsello.wallet as w (partner_key, tax_id, first_name, last_name, phone_number,
      email, originating_dealer_key)
    select $1, $3, $4, $5, $6, $7, $8 from dealer where partner_key = $1
    returning w
  ), recorded as materialized (
    select borsello.wallet_record(w) as wallet, borsello.record_wallet_change(
      w, $2, 'create', 'WalletCreated', borsello.wallet_event(w), (w).status)
    from created
  )
  select (select partner_key from dealer) as "dealerPartner",
    (select wallet from recorded) as wallet`;

/** One statement, one round trip. */
export const createWallet = (
  database: Database,
  { partnerKey, clientId }: Actor,
  wallet: NewWallet,
): Promise<Outcome<Wallet, UniquenessRefusal | "DealerNotFound" | "DealerOfAnotherPartner">> =>
  unlessTaken(async () => {
    const { taxId, firstName, lastName, phoneNumber, email, originatingDealerKey } = wallet;
    const created = await database.command(Created, insertWallet, [
      partnerKey,
      clientId,
      taxId,
      firstName,
      lastName,
      phoneNumber,
      email,
      originatingDealerKey,
    ]);
    if (created?.wallet) return success(created.wallet);
    const found = { originatingDealerKey };
    return created?.dealerPartner == null
      ? refusal("DealerNotFound", found)
      : refusal("DealerOfAnotherPartner", found);
  }, wallet);

const Found = z.object({ wallet: Wallet });

/** The wallet's record, whoever owns it: for the platform's own flows. */
export const readWallet = async (
  database: Queryable,
  walletId: string,
): Promise<Wallet | undefined> => {
  const found = await database.row(
    Found,
    "select borsello.wallet_record(w) as wallet from borsello.wallet as w where wallet_id = $1",
    [walletId],
  );
  return found?.wallet;
};

export const findWallet = async (
  database: Queryable,
  reader: Reader,
  walletId: string,
): Promise<Outcome<Wallet, WalletRefusal>> =>
  readOwned(await readWallet(database, walletId), reader, walletId);
