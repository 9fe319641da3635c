/** Whose wallet it is: the check that opens every command and every look-up. */
import { z } from "zod";
import { walletStatuses } from "../../contracts/wallet/wallets.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Queryable } from "../platform/database.js";

/** Who changes something: the partner, and the client that the audit row names. */
export interface Actor {
  readonly partnerKey: string;
  readonly clientId: string;
}

/** Who reads: operators read every partner's wallets. */
export interface Reader {
  readonly partnerKey: string;
  readonly isOperator: boolean;
}

export type WalletRefusal = "WalletNotFound" | "WalletOfAnotherPartner";

const LockedWallet = z.object({
  partnerKey: z.string(),
  status: z.enum(walletStatuses),
  isIbanValidated: z.boolean(),
  iban: z.string().nullable(),
  taxId: z.string(),
});
export type LockedWallet = z.infer<typeof LockedWallet>;

export const owned = <Row extends { readonly partnerKey: string }>(
  found: Row | undefined,
  partnerKey: string,
  walletId: string,
): Outcome<Row, WalletRefusal> => {
  if (found === undefined) return refusal("WalletNotFound", { walletId });
  return found.partnerKey === partnerKey
    ? success(found)
    : refusal("WalletOfAnotherPartner", { walletId });
};

/** The same for somebody who only reads: operators read what every partner has. */
export const readOwned = <Row extends { readonly partnerKey: string }>(
  found: Row | undefined,
  { partnerKey, isOperator }: Reader,
  walletId: string,
): Outcome<Row, WalletRefusal> =>
  found !== undefined && isOperator ? success(found) : owned(found, partnerKey, walletId);

/**
 * The wallet's row is the one lock of all its changes. The guards that read other tables come in
 * later statements of the transaction, so that they see what the lock made them wait for.
 */
export const lockWallet = async (
  tx: Queryable,
  { partnerKey }: Actor,
  walletId: string,
): Promise<Outcome<LockedWallet, WalletRefusal>> => {
  const found = await tx.row(
    LockedWallet,
    `select partner_key as "partnerKey", status, is_iban_validated as "isIbanValidated", iban,
       tax_id as "taxId"
     from borsello.wallet where wallet_id = $1 for no key update`,
    [walletId],
  );
  return owned(found, partnerKey, walletId);
};

const WalletPartner = z.object({ partnerKey: z.string() });

/** Whose wallet it is, for somebody who reads what belongs to it. */
export const walletPartner = async (
  database: Queryable,
  reader: Reader,
  walletId: string,
): Promise<Outcome<z.infer<typeof WalletPartner>, WalletRefusal>> =>
  readOwned(
    await database.row(
      WalletPartner,
      `select partner_key as "partnerKey" from borsello.wallet where wallet_id = $1`,
      [walletId],
    ),
    reader,
    walletId,
  );

/** What changes a wallet needs it active (contract 4.2), but for what `notClosed` allows. */
export const active = (wallet: LockedWallet): Outcome<LockedWallet, "WalletNotActive"> =>
  wallet.status === "Active"
    ? success(wallet)
    : refusal("WalletNotActive", { status: wallet.status });

/** Attributes, and the removal of the IBAN, may change while the wallet is suspended. */
export const notClosed = (wallet: LockedWallet): Outcome<LockedWallet, "WalletNotActive"> =>
  wallet.status === "Closed"
    ? refusal("WalletNotActive", { status: wallet.status })
    : success(wallet);
