/** The limit block, and the route of a wallet's limits (wallet seed, 2.3, 4.1). */
import { z } from "zod";
import { route } from "../route.js";
import { walletParams } from "../wallet/fields.js";

export const LimitEntry = z
  .object({
    limit: z.number(),
    current: z.number(),
    remainingAmountToLimit: z.number(),
    exceedAmountFromLimit: z.number(),
    violationMessage: z.string().optional().describe("Only when the limit is violated."),
  })
  .meta({ id: "LimitEntry" });
export type LimitEntry = z.infer<typeof LimitEntry>;

export const WalletLimits = z
  .object({
    maximum: LimitEntry,
    minimum: LimitEntry,
    maximumLastMonthCashDeposit: LimitEntry,
    maximumLastMonthCashWithdrawal: LimitEntry,
    maximumLastMonthSddDeposit: LimitEntry,
  })
  .meta({ id: "WalletLimits" });
export type WalletLimits = z.infer<typeof WalletLimits>;

export const getWalletLimitsRoute = route({
  id: "getWalletLimits",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}/limits",
  params: walletParams,
  role: "Wallet.Read",
  ok: { status: 200, schema: WalletLimits },
  errors: ["WalletOfAnotherPartner", "WalletNotFound"],
  summary: "A wallet's limits and how much of them is used",
  result: "The wallet's limits and their use.",
  description:
    "`maximum` and `minimum` bound a single operation, so nothing of them is ever used. The others " +
    "add up the last thirty days; operations that were cancelled, expired, terminated or rejected " +
    "do not count.",
});
