/** Routes of the wallet statistics, of a partner and of one dealer (wallet seed, 2.11, 4.1). */
import { z } from "zod";
import { route } from "../route.js";
import { Code, NullableDateTime } from "./fields.js";

export const WalletStatistics = z
  .object({
    walletsCount: z.int32(),
    walletsOpen: z.int32().describe("Active ones: open, suspended and closed add up to the count."),
    walletsSuspended: z.int32(),
    walletsClosed: z.int32(),
    walletsIbanValidated: z.int32().describe("Closed wallets excluded, as in the next two."),
    walletsPendingIbanValidation: z.int32(),
    walletsWithoutIban: z.int32(),
    walletsTotalAvailableBalance: z.number(),
    walletsEarliestCreationDate: NullableDateTime,
    walletsLatestCreationDate: NullableDateTime,
    walletsEarliestUsageDate: NullableDateTime,
    walletsLatestUsageDate: NullableDateTime,
    walletsEarliestUpdateDate: NullableDateTime,
    walletsLatestUpdateDate: NullableDateTime,
  })
  .meta({ id: "WalletStatistics" });
export type WalletStatistics = z.infer<typeof WalletStatistics>;

export const getPartnerStatisticsRoute = route({
  id: "getPartnerWalletsStatistics",
  api: "wallet",
  method: "GET",
  path: "statistics/wallets",
  role: "Wallet.Read",
  ok: { status: 200, schema: WalletStatistics },
  errors: ["StatisticsNotFound"],
  summary: "How many wallets the partner has, in which states, and what they hold",
  result: "The figures over all wallets of the partner.",
  description: "404 until the partner has its first wallet.",
});

export const getDealerStatisticsRoute = route({
  id: "getDealerWalletsStatistics",
  api: "wallet",
  method: "GET",
  path: "statistics/wallets/{dealerKey}",
  params: { dealerKey: Code },
  role: "Wallet.Read",
  ok: { status: 200, schema: WalletStatistics },
  errors: ["DealerOfAnotherPartner", "DealerNotFound", "StatisticsNotFound"],
  summary: "The same for the wallets that a dealer originated",
  result: "The figures over the wallets that the dealer originated.",
  description: "404 until the dealer has originated its first wallet.",
});
