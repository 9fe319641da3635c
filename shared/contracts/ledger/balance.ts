/** The route of a wallet's balance (wallet seed, 2.11 and 4.1). */
import { z } from "zod";
import { route } from "../route.js";
import { walletParams } from "../wallet/fields.js";

export const Balance = z.object({ availableBalance: z.number() }).meta({ id: "Balance" });

export const getWalletBalanceRoute = route({
  id: "getWalletBalance",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}/balance",
  params: walletParams,
  role: "Wallet.Read",
  ok: { status: 200, schema: Balance },
  errors: ["WalletOfAnotherPartner", "WalletNotFound"],
  summary: "What a wallet can spend",
  description:
    "The funds of all buckets, minus what initialised operations hold until they are confirmed, " +
    "cancelled or expired.",
});
