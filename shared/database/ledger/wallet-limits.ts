/** How much of its limits a wallet has used. */
import { z } from "zod";
import { WalletLimits } from "../../contracts/ledger/limits.js";
import { success, type Outcome } from "../../domain/outcome.js";
import { walletPartner, type Reader, type WalletRefusal } from "../access/wallet-access.js";
import type { Queryable } from "../platform/database.js";
import type { LimitBounds } from "./limit-bounds.js";

const Block = z.object({ limits: WalletLimits });

/** `boundsOf` gives the bounds of the wallet's own partner. */
export const findLimits = async (
  database: Queryable,
  reader: Reader,
  walletId: string,
  boundsOf: (wallet: { readonly partnerKey: string }) => Promise<LimitBounds>,
): Promise<Outcome<WalletLimits, WalletRefusal>> => {
  const wallet = await walletPartner(database, reader, walletId);
  if (!wallet.ok) return wallet;
  const bounds = await boundsOf(wallet.value);
  const block = await database.row(
    Block,
    `select borsello.limit_block(json_populate_record(null::borsello.limit_bounds, $2::json),
       borsello.limits_used($1), null) as limits`,
    [walletId, JSON.stringify(bounds)],
  );
  if (block === undefined) throw new Error("A wallet's limits were not answered.");
  return success(block.limits);
};
