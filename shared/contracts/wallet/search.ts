/** Routes that find wallets: the list by creation date, the search by any of their data (wallet seed, 2.11, 4.1). */
import { z } from "zod";
import { dateRangeQuery } from "../date-range.js";
import { pageErrors, pageQuery, paginated } from "../pages.js";
import { route } from "../route.js";
import { Wallet } from "./wallets.js";

export const WalletPage = paginated(Wallet).meta({ id: "WalletPage" });
export type WalletPage = z.infer<typeof WalletPage>;

export const getAllWalletsRoute = route({
  id: "getAllWallets",
  api: "wallet",
  method: "GET",
  path: "wallets",
  query: { ...dateRangeQuery, ...pageQuery },
  role: "Wallet.Read",
  ok: { status: 200, schema: WalletPage },
  errors: [...pageErrors, "DateRangeInvalid"],
  summary: "The partner's wallets, oldest first",
  result: "A page of the wallets, and how many there are in all.",
  description:
    "`fromDate` and `toDate` bound the creation date, both included, at most 366 days apart. " +
    "Temporary: to be removed at go-live; the search does the same without parameters.",
});

/** Absent, null and blank parameters are ignored. */
const SearchText = z.string().max(255, { abort: true }).nullable().optional();
const SearchFlag = z.boolean().nullable().optional();

export const SearchWalletBody = z.strictObject({
  taxId: SearchText.describe("The whole tax id."),
  firstName: SearchText.describe("Any part of it, as the other texts but tax id and IBAN."),
  lastName: SearchText,
  phoneNumber: SearchText.describe("A part or the whole, in any usual spelling."),
  email: SearchText,
  iban: SearchText.describe("The whole IBAN, with or without spaces."),
  isSuspended: SearchFlag.describe(
    "A closed wallet counts as suspended: so false does not go with a true isClosed.",
  ),
  isClosed: SearchFlag,
  hasNeverBeenUsed: SearchFlag.describe("True: only wallets without a lastUsageDate."),
});

export const searchWalletRoute = route({
  id: "searchWallet",
  api: "wallet",
  method: "POST",
  path: "wallets/search",
  query: pageQuery,
  body: SearchWalletBody,
  role: "Wallet.Read",
  ok: { status: 200, schema: WalletPage },
  errors: [...pageErrors, "SearchParameterInvalid"],
  summary: "Search the partner's wallets",
  result: "A page of the wallets that match, and how many do in all.",
  description:
    "All given parameters must match; case and accents make no difference. Missing, null, empty or " +
    "blank parameters are ignored. Ordered by creation date.",
});
