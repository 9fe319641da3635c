/** Routes of a wallet's IBAN: set it to be verified, remove it, read what to transfer (wallet seed, 2.11). */
import { z } from "zod";
import { isBic } from "../../domain/wallet/sepa.js";
import { route } from "../route.js";
import { Code, walletParams } from "../wallet/fields.js";
import { Wallet } from "../wallet/wallets.js";

const bicCharactersMax = 11;
const bicForm = { error: "must be a BIC of 8 or 11 characters" } as const;

export const UpdateIbanBody = z.strictObject({
  iban: Code.describe("Of a SEPA country, with or without spaces."),
  bic: z
    .string()
    .max(bicCharactersMax, { ...bicForm, abort: true })
    .refine(isBic, bicForm)
    .nullable()
    .optional()
    .describe("Needed only when the IBAN is not Italian; of the IBAN's country."),
});

export const IbanVerification = z
  .object({
    walletId: z.uuid(),
    partnerKey: z.string(),
    iban: z.string(),
    bic: z.string().nullable(),
    isIbanValidated: z.boolean(),
    destinationIban: z.string(),
    destinationOwner: z.string(),
    transferAmount: z.number(),
    ibanValidationCode: z.string(),
  })
  .meta({ id: "IbanVerification" });

export const SctInstructions = z
  .object({
    walletId: z.uuid(),
    partnerKey: z.string(),
    destinationOwner: z.string(),
    destinationIban: z.string(),
    reason: z.string(),
    amountFirstDeposit: z.number().nullable(),
  })
  .meta({ id: "SctInstructions" });

export const updateWalletIbanRoute = route({
  id: "updateWalletIban",
  api: "wallet",
  method: "PUT",
  path: "wallets/{walletId}/iban",
  params: walletParams,
  body: UpdateIbanBody,
  repeatable: true,
  role: "Wallet.Write",
  ok: { status: 200, schema: IbanVerification },
  errors: [
    "IbanInvalid",
    "BicRequired",
    "BicInvalid",
    "IbanAlreadyAssociated",
    "WalletNotActive",
    "WalletOfAnotherPartner",
    "WalletNotFound",
    "InstructionsNotFound",
  ],
  summary: "Set a wallet's IBAN, to be verified",
  result: "The IBAN was set: what the holder has to transfer to prove that it is theirs.",
  description:
    "The holder verifies it by a transfer of `transferAmount` from this IBAN to `destinationIban`, " +
    "with `ibanValidationCode` as its reason, within thirty days. Another IBAN replaces the one that " +
    "waits; setting the same one again changes nothing and answers the same code, and another BIC with " +
    "it is kept without a new verification.",
});

export const deleteWalletIbanRoute = route({
  id: "deleteWalletIban",
  api: "wallet",
  method: "DELETE",
  path: "wallets/{walletId}/iban",
  params: walletParams,
  role: "Wallet.Write",
  ok: { status: 200, schema: Wallet },
  errors: ["WalletNotActive", "IbanNotSet", "WalletOfAnotherPartner", "WalletNotFound"],
  summary: "Remove a wallet's IBAN, validated or not",
  result: "The wallet, without an IBAN.",
});

export const getSctInstructionsRoute = route({
  id: "getSctInstructions",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}/sct/instructions",
  params: walletParams,
  role: "Wallet.Read",
  ok: { status: 200, schema: SctInstructions },
  errors: ["IbanNotSet", "WalletOfAnotherPartner", "WalletNotFound", "InstructionsNotFound"],
  summary: "Where to transfer money to, and with which reason",
  result: "What a transfer to the wallet must say.",
  description:
    "`reason` names the wallet: write it into each transfer. `amountFirstDeposit` is what the " +
    "verification asks for, and null once the IBAN is validated.",
});
