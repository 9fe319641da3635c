/** The route of a wallet's balance (wallet seed, 2.11 and 4.1). */
import { z } from "zod";
import { Moment } from "../date-range.js";
import { route } from "../route.js";
import { walletParams } from "../wallet/fields.js";

export const Balance = z.object({ availableBalance: z.number() }).meta({ id: "Balance" });

export const getWalletBalanceRoute = route({
  id: "getWalletBalance",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}/balance",
  params: walletParams,
  query: { at: Moment.optional() },
  role: "Wallet.Read",
  ok: { status: 200, schema: Balance },
  errors: ["QueryParameterInvalid", "WalletOfAnotherPartner", "WalletNotFound"],
  summary: "What a wallet can spend",
  result: "What the wallet can spend, and what it holds.",
  description:
    "The funds of all buckets, minus what initialised operations hold until they are confirmed, " +
    "cancelled or expired. With `at`, a moment that has passed, what the wallet could spend then: " +
    "its entries up to that moment, minus what was held at that moment. An operation that expired " +
    "counts as held until its `expiryDate`.",
});
