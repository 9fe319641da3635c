/** Routes of a wallet's contract: template, filled form, signature, signed PDF (wallet seed, 4.1). */
import { z } from "zod";
import { route } from "../route.js";
import { NullableDateTime, walletParams } from "../wallet/fields.js";

const pdf = { status: 200, contentType: "application/pdf" } as const;

export const ContractSignature = z
  .object({
    walletId: z.uuid(),
    status: z.enum(["Signing", "Signed"]),
    signedAt: NullableDateTime,
  })
  .meta({ id: "ContractSignature" });

export const getContractTemplateRoute = route({
  id: "getWalletContractTemplate",
  api: "wallet",
  method: "GET",
  path: "wallets/contract/template",
  role: "Wallet.Read",
  ok: pdf,
  errors: ["ActivationFlowNotEnabled", "ContractTemplateNotFound"],
  summary: "The partner's contract as an empty PDF form",
  result: "The form's bytes.",
});

export const getContractFilledRoute = route({
  id: "getWalletContractFilled",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}/contract/fill",
  params: walletParams,
  role: "Wallet.Read",
  ok: pdf,
  errors: [
    "ActivationFlowNotEnabled",
    "ContractTemplateNotFound",
    "WalletOfAnotherPartner",
    "WalletNotFound",
  ],
  summary: "The contract filled with the wallet's data, not signed",
  result: "The filled contract's bytes.",
  description: "What the wallet has no value for says so in words.",
});

export const signContractRoute = route({
  id: "signWalletContract",
  api: "wallet",
  method: "POST",
  path: "wallets/{walletId}/contract/sign",
  params: walletParams,
  role: "Wallet.Write",
  ok: { status: 200, schema: ContractSignature },
  errors: [
    "WalletNotActive",
    "ActivationFlowNotEnabled",
    "ContractTemplateNotFound",
    "WalletOfAnotherPartner",
    "WalletNotFound",
  ],
  summary: "Sign the contract: fill it, then seal it",
  result: "The contract is Signed, or still Signing after ten seconds.",
  description:
    "Runs as the flow `contractSigning`; the call waits for it at most ten seconds. `Signing` " +
    "means that it goes on: repeat the call or get the signed PDF later. The contract shows the " +
    "wallet's data of the first call. Once tax id or names are others than it shows, it is signed anew.",
});

export const getContractSignedRoute = route({
  id: "getWalletContractSigned",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}/contract",
  params: walletParams,
  role: "Wallet.Read",
  ok: pdf,
  errors: [
    "ActivationFlowNotEnabled",
    "ContractNotSigned",
    "WalletOfAnotherPartner",
    "WalletNotFound",
    "DocumentNotFound",
  ],
  summary: "The signed contract",
  result: "The sealed contract's bytes.",
  description:
    "A sealed PDF (PAdES), the same bytes each time; the last one, until another is signed.",
});
