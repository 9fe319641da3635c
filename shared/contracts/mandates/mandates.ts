/** The wallet mandate record and the routes of a wallet's SEDA mandate (wallet seed, 2.6; contract 3.2). */
import { z } from "zod";
import { route } from "../route.js";
import { DateTime, NullableDate, NullableDateTime, walletParams } from "../wallet/fields.js";

export const mandateStatuses = [
  "Draft",
  "Filled",
  "ActivationRequested",
  "Active",
  "DisableRequested",
  "Disabled",
  "Cancelled",
  "Rejected",
] as const;
export type MandateStatus = (typeof mandateStatuses)[number];

export const mandateFrequencies = ["Weekly", "Monthly"] as const;

export const Mandate = z
  .object({
    mandateId: z.uuid(),
    walletId: z.uuid(),
    storeId: z.uuid().nullable(),
    type: z.enum(["Seda"]),
    partnerKey: z.string(),
    mandateUniqueReference: z.string(),
    debtorName: z.string(),
    debtorIban: z.string(),
    amount: z.number(),
    frequency: z.enum(mandateFrequencies),
    creationDate: DateTime,
    fillDate: NullableDateTime,
    activationRequestDate: NullableDateTime,
    activationDate: NullableDateTime,
    disableRequestDate: NullableDateTime,
    disabledDate: NullableDateTime,
    rejectionDate: NullableDateTime,
    status: z.enum(mandateStatuses),
    nextDepositRequestDate: NullableDate,
    lastDepositRequestedDate: NullableDateTime,
    addressStreet: z.string().nullable(),
    city: z.string().nullable(),
    lastError: z.string().nullable(),
    lastFailureDate: NullableDateTime,
    nextDepositDate: NullableDate,
    lastDepositDate: NullableDateTime,
  })
  .meta({ id: "WalletMandate" });
export type Mandate = z.infer<typeof Mandate>;

export const InitialiseMandateBody = z.strictObject({
  amount: z.number().min(10).max(250).describe("At most two decimals."),
  frequency: z.enum(mandateFrequencies).nullable().optional().describe("Absent or null: Monthly."),
});

const pdf = { status: 200, contentType: "application/pdf" } as const;
const record = { status: 200, schema: Mandate } as const;

export const getWalletMandateRoute = route({
  id: "getWalletMandate",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}/mandate",
  params: walletParams,
  role: "Wallet.Read",
  ok: record,
  errors: ["WalletOfAnotherPartner", "WalletNotFound", "MandateNotFound"],
  summary: "Get the wallet's current mandate",
  result: "The wallet's current mandate.",
});

export const initialiseMandateRoute = route({
  id: "initialiseWalletMandate",
  api: "wallet",
  method: "POST",
  path: "wallets/{walletId}/mandate",
  params: walletParams,
  body: InitialiseMandateBody,
  takesIdempotencyKey: true,
  role: "Mandate.Write",
  ok: record,
  errors: [
    "AmountScaleInvalid",
    "WalletNotActive",
    "IbanNotValidated",
    "MandateAlreadyPresent",
    "WalletOfAnotherPartner",
    "WalletNotFound",
  ],
  summary: "Initialise the wallet's mandate",
  result: "The new mandate, a draft until it is filled and signed.",
});

const transition = [
  "MandateStatusInvalid",
  "WalletOfAnotherPartner",
  "WalletNotFound",
  "MandateNotFound",
] as const;
const signing = ["WalletNotActive", ...transition] as const;

export const fillMandateRoute = route({
  id: "fillWalletMandate",
  api: "wallet",
  method: "PUT",
  path: "wallets/{walletId}/mandate/fill",
  params: walletParams,
  role: "Mandate.Write",
  ok: pdf,
  errors: signing,
  summary: "Fill the mandate's PDF with mandate and wallet data",
  result: "The filled mandate's bytes; the mandate is Filled.",
});

export const signMandateRoute = route({
  id: "signWalletMandate",
  api: "wallet",
  method: "POST",
  path: "wallets/{walletId}/mandate/sign",
  params: walletParams,
  role: "Mandate.Write",
  ok: record,
  errors: signing,
  summary: "Sign the mandate's PDF and request its activation",
  result:
    "The mandate: its activation is requested, or its PDF still being sealed after ten seconds.",
  description:
    "The PDF is sealed by the flow `mandateActivation`; the call waits for it at most ten seconds. " +
    "A record that is still `Filled` means that it goes on.",
});

export const getMandatePdfRoute = route({
  id: "getWalletMandatePdf",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}/mandate/pdf",
  params: walletParams,
  role: "Wallet.Read",
  ok: pdf,
  errors: ["WalletOfAnotherPartner", "WalletNotFound", "DocumentNotFound"],
  summary: "The signed mandate",
  result: "The sealed mandate's bytes.",
});

export const disableMandateRoute = route({
  id: "disableWalletMandate",
  api: "wallet",
  method: "PUT",
  path: "wallets/{walletId}/mandate/disable",
  params: walletParams,
  role: "Mandate.Write",
  ok: record,
  errors: transition,
  summary: "Disable the mandate, or cancel it when its activation was never requested",
  result: "The mandate, Cancelled if it was never requested, else about to be disabled.",
});

export const postponeDepositRoute = route({
  id: "updateNextDepositDate",
  api: "wallet",
  method: "PUT",
  path: "wallets/{walletId}/mandate/nextdepositdate",
  params: walletParams,
  query: {
    newDepositDate: z.iso.date().max(10).describe("A bank day after the present nextDepositDate."),
  },
  role: "Mandate.Write",
  ok: record,
  errors: ["DepositDateOnWeekend", "DepositDateNotBankDay", "DepositDateNotLater", ...signing],
  summary: "Put off the next deposit of the active mandate",
  result: "The mandate with its new date.",
  description: "It is asked for on the bank day before.",
});
