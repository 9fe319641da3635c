/** Deletes a closed wallet for good: outside production only, where the database has the function for it. */
import type { Wallet } from "../../contracts/wallet/wallets.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Database } from "../platform/database.js";
import { lockWallet, type Actor, type WalletRefusal } from "../access/wallet-access.js";
import { readWallet } from "./wallets.js";

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
    // The bank forgets what it was told of the customer, too: the next one of the same account starts afresh.
    await tx.execute(
      "delete from borsello.sandbox_bank_script where partner_key = $1 and iban = $2",
      [wallet.partnerKey, wallet.iban],
    );
    return success(wallet);
  });
