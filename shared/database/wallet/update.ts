/** The command that changes a wallet's tax id and e-mail. */
import { z } from "zod";
import { Wallet } from "../../contracts/wallet/wallets.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import { active, lockWallet, type Actor, type WalletRefusal } from "../access/wallet-access.js";
import type { Database } from "../platform/database.js";
import { followIdentity } from "./identity.js";
import { unlessTaken, type UniquenessRefusal } from "./wallets.js";

const Changed = z.object({ wallet: Wallet });

const openMandate = `
  select status from borsello.mandate
  where wallet_id = $1
    and status in ('Draft', 'Filled', 'ActivationRequested', 'Active', 'DisableRequested')`;

export interface WalletUpdate {
  readonly taxId: string;
  readonly email: string;
}

/** Refused while a mandate is draft or active: the bank knows the wallet's holder by it. */
export const updateWallet = (
  database: Database,
  actor: Actor,
  walletId: string,
  update: WalletUpdate,
): Promise<
  Outcome<Wallet, WalletRefusal | UniquenessRefusal | "WalletNotActive" | "SedaMandatePresent">
> =>
  unlessTaken(
    () =>
      database.transaction(async (tx) => {
        const locked = await lockWallet(tx, actor, walletId);
        if (!locked.ok) return locked;
        const open = active(locked.value);
        if (!open.ok) return open;
        const mandate = await tx.row(z.object({ status: z.string() }), openMandate, [walletId]);
        if (mandate !== undefined)
          return refusal("SedaMandatePresent", { mandateStatus: mandate.status });
        const changed = await tx.row(
          Changed,
          `with changed as (
             update borsello.wallet as w set tax_id = $3, email = $4, version = version + 1,
               last_update_date = borsello.platform_now()
             where wallet_id = $1 returning w
           )
           select borsello.wallet_record(w) as wallet, borsello.record_wallet_change(
             w, $2, 'update', 'WalletUpdated', borsello.wallet_updated_event(w))
           from changed`,
          [walletId, actor.clientId, update.taxId, update.email],
        );
        if (changed === undefined) throw new Error("A locked wallet was gone before its change.");
        return success(
          update.taxId === locked.value.taxId
            ? changed.wallet
            : await followIdentity(tx, actor, walletId),
        );
      }),
    update,
  );
