/** Routes of a wallet's states: suspend, reactivate, close, reopen, delete for good (wallet seed, 3.1, 4.1). */
import { route } from "../route.js";
import { walletParams } from "./fields.js";
import { Wallet } from "./wallets.js";

const record = { status: 200, schema: Wallet } as const;

export const suspendWalletRoute = route({
  id: "suspendWallet",
  api: "wallet",
  method: "PUT",
  path: "wallets/{walletId}/suspend",
  params: walletParams,
  role: "Wallet.Write",
  ok: record,
  errors: ["WalletNotActive", "WalletOfAnotherPartner", "WalletNotFound"],
  summary: "Suspend an active wallet",
  result: "The wallet, now Suspended.",
  description:
    "The end user may not use it for any operation. Operations that are `Initialized` are " +
    "cancelled, each with its event OperationCancelled; WalletSuspended comes before them.",
});

export const reactivateWalletRoute = route({
  id: "reactivateWallet",
  api: "wallet",
  method: "PUT",
  path: "wallets/{walletId}/reactivate",
  params: walletParams,
  role: "Wallet.Write",
  ok: record,
  errors: ["WalletNotSuspended", "WalletOfAnotherPartner", "WalletNotFound"],
  summary: "Make a suspended wallet active again",
  result: "The wallet, Active again.",
  description:
    "`suspensionDate` stays: it tells of the last suspension. An onboarding that has ended runs again " +
    "where one of its steps is open; an IBAN that is not validated, and not awaited, gets a new code.",
});

export const closeWalletRoute = route({
  id: "closeWallet",
  api: "wallet",
  method: "PUT",
  path: "wallets/{walletId}/close",
  params: walletParams,
  role: "Wallet.Write",
  ok: record,
  errors: [
    "WalletNotSuspended",
    "WalletBalanceNotZero",
    "WalletOfAnotherPartner",
    "WalletNotFound",
  ],
  summary: "Close a suspended wallet",
  result: "The wallet, now Closed.",
  description:
    "What is under way ends with it: an open mandate is disabled, the IBAN's validation, the " +
    "contract's signing and a running onboarding end. Tax id, e-mail and IBAN " +
    "stay taken, so that reopening cannot clash. A balance above zero is refused only where the " +
    "partner's setting `closing.requiresZeroBalance` says so.",
});

export const reopenWalletRoute = route({
  id: "reopenWallet",
  api: "wallet",
  method: "PUT",
  path: "wallets/{walletId}/reopen",
  params: walletParams,
  role: "Wallet.Write",
  ok: record,
  errors: ["WalletNotClosed", "WalletOfAnotherPartner", "WalletNotFound"],
  summary: "Reopen a closed wallet",
  result: "The wallet, open again and Suspended.",
  description: "It is suspended then, as it was before it was closed: reactivate it to use it.",
});

export const destroyWalletRoute = route({
  id: "destroyWallet",
  api: "wallet",
  method: "DELETE",
  path: "wallets/{walletId}/force",
  params: walletParams,
  role: "Wallet.Write",
  refusedInProduction: true,
  ok: record,
  errors: ["WalletNotClosed", "WalletOfAnotherPartner", "WalletNotFound"],
  summary: "Delete a closed wallet for good, in testing and development only",
  result: "The wallet was deleted: its record as it was last.",
  description:
    "Removes the wallet with its operations, transactions, buckets, mandates and documents, and " +
    "answers the record as it was last. Its events, its audit and what the bank reported stay.",
});
