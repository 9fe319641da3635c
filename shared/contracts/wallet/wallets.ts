/** The wallet record and the routes that create, read and update it (wallet seed, 2.10, 2.11, 4.1). */
import { z } from "zod";
import { route } from "../route.js";
import {
  Code,
  Country,
  DateTime,
  Email,
  GivenMetadata,
  Metadata,
  NullableDateTime,
  PersonName,
  Text,
  walletParams,
} from "./fields.js";

export const walletStatuses = ["Active", "Suspended", "Closed"] as const;

export const Wallet = z
  .object({
    walletId: z.uuid(),
    partnerKey: z.string(),
    taxId: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    iban: z.string().nullable(),
    bic: z.string().nullable(),
    isIbanValidated: z.boolean(),
    ibanValidationCode: z.string().nullable(),
    phoneNumber: z.string(),
    email: z.string().meta({ format: "email" }),
    creationDate: DateTime,
    lastUpdateDate: NullableDateTime,
    lastUsageDate: NullableDateTime,
    closureDate: NullableDateTime,
    suspensionDate: NullableDateTime,
    originatingDealerKey: z.string(),
    addressStreet: z.string().nullable(),
    addressNumber: z.string().nullable(),
    zipCode: z.string().nullable(),
    city: z.string().nullable(),
    province: z.string().nullable(),
    country: z.string().nullable(),
    status: z.enum(walletStatuses),
    metadata: Metadata.nullable(),
  })
  .meta({ id: "Wallet" });
export type Wallet = z.infer<typeof Wallet>;

export const CreateWalletBody = z.strictObject({
  taxId: Code.describe("Codice fiscale; kept in upper case."),
  firstName: PersonName,
  lastName: PersonName,
  phoneNumber: Code.describe("Any usual spelling, Italian without a prefix; kept in E.164."),
  email: Email.describe("Kept in lower case."),
  originatingDealerKey: Code,
});

export const UpdateWalletBody = z.strictObject({ taxId: Code, email: Email });

/** Residence fields and metadata: absent leaves the value as it is, null removes it. */
export const UpdateAttributesBody = z.strictObject({
  firstName: PersonName,
  lastName: PersonName,
  phoneNumber: Code,
  addressStreet: Text.nullable().optional(),
  addressNumber: Text.nullable().optional(),
  zipCode: Text.nullable().optional().describe("Five digits where the country is Italy."),
  city: Text.nullable().optional(),
  province: Text.nullable().optional(),
  country: Country.nullable().optional(),
  metadata: GivenMetadata.nullable().optional(),
});

export const createWalletRoute = route({
  id: "createWallet",
  api: "wallet",
  method: "POST",
  path: "wallets",
  body: CreateWalletBody,
  takesIdempotencyKey: true,
  role: "Wallet.Write",
  ok: { status: 200, schema: Wallet },
  errors: [
    "TaxIdInvalid",
    "NamesDoNotMatchTaxId",
    "PhoneNumberInvalid",
    "TaxIdAlreadyAssociated",
    "EmailAlreadyInUse",
    "DealerNotFound",
    "DealerOfAnotherPartner",
  ],
  summary: "Create a wallet",
  result: "The wallet was created: it is Active, and its onboarding has started.",
  description:
    "All fields are required. Tax id and e-mail are unique among the partner's wallets. " +
    "The event WalletCreated follows, and the wallet's onboarding starts.",
});

export const getWalletRoute = route({
  id: "getWallet",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}",
  params: walletParams,
  role: "Wallet.Read",
  ok: { status: 200, schema: Wallet },
  errors: ["WalletOfAnotherPartner", "WalletNotFound"],
  summary: "Get a wallet",
  result: "The wallet as it is now.",
});

export const updateWalletRoute = route({
  id: "updateWallet",
  api: "wallet",
  method: "PUT",
  path: "wallets/{walletId}",
  params: walletParams,
  body: UpdateWalletBody,
  role: "Wallet.Write",
  ok: { status: 200, schema: Wallet },
  errors: [
    "TaxIdInvalid",
    "TaxIdAlreadyAssociated",
    "EmailAlreadyInUse",
    "SedaMandatePresent",
    "WalletNotActive",
    "WalletOfAnotherPartner",
    "WalletNotFound",
  ],
  summary: "Update a wallet's tax id and e-mail",
  result: "The wallet with its new tax id and e-mail.",
  description:
    "Forbidden while a SEDA mandate is draft or active. The names are not compared with the new " +
    "tax id here, so that both can be corrected: first the tax id, then the attributes.",
});

export const updateWalletAttributesRoute = route({
  id: "updateWalletAttributes",
  api: "wallet",
  method: "PUT",
  path: "wallets/{walletId}/attributes",
  params: walletParams,
  body: UpdateAttributesBody,
  role: "Wallet.Write",
  ok: { status: 200, schema: Wallet },
  errors: [
    "ValidationFailed",
    "NamesDoNotMatchTaxId",
    "PhoneNumberInvalid",
    "WalletNotActive",
    "WalletOfAnotherPartner",
    "WalletNotFound",
  ],
  summary: "Update a wallet's names, phone number, residence and metadata",
  result: "The wallet with its new attributes.",
  description:
    "First and last name must match the tax id. An absent residence field stays as it is, null " +
    "removes it. The event WalletAttributesUpdated says whether the residence changed.",
});
