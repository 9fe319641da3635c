/** Refusals about wallets: their holders, IBANs, contracts and states. */
import type { ErrorEntries } from "./entry.js";

export const walletErrors = {
  EmailAlreadyInUse: {
    status: 400,
    description: "Another wallet of the partner uses this e-mail: send another one.",
    properties: { email: "mario.rossi@example.com" },
  },
  TaxIdInvalid: {
    status: 400,
    description: "The tax id is not a valid codice fiscale: correct it.",
    properties: { taxId: "RSSMRA85T10A562X", fault: "checkLetter" },
  },
  TaxIdAlreadyAssociated: {
    status: 400,
    description: "Another wallet of the partner has this tax id: use that wallet.",
    properties: { taxId: "RSSMRA85T10A562S" },
  },
  NamesDoNotMatchTaxId: {
    status: 400,
    description: "First and last name do not match the tax id: correct them.",
    mayHave: ["firstName", "lastName"],
  },
  PhoneNumberInvalid: {
    status: 400,
    description: "The phone number is not valid: send it with its country code.",
    properties: { phoneNumber: "333" },
  },
  IbanInvalid: {
    status: 400,
    description: "The IBAN is not valid, or not of a SEPA country: correct it.",
    properties: { iban: "IT60X0542811101000000123457", fault: "iban" },
  },
  BicRequired: {
    status: 400,
    description: "An IBAN from outside Italy needs its BIC: send both.",
    properties: { iban: "DE89370400440532013000" },
  },
  BicInvalid: {
    status: 400,
    description: "The BIC is of another country than the IBAN: send the BIC of the IBAN's bank.",
    properties: { bic: "BCITITMM", country: "is not the IBAN's, DE." },
  },
  IbanAlreadyAssociated: {
    status: 400,
    description: "Another wallet of the partner has this IBAN: send another one.",
    properties: { iban: "IT60X0542811101000000123456" },
  },
  IbanNotSet: {
    status: 400,
    description: "The wallet has no IBAN: set one first.",
    properties: { walletId: "01980d3c-93a5-7cc4-8a63-5f2a8f0e1b77" },
  },
  IbanNotValidated: {
    status: 400,
    description: "The wallet's IBAN is not validated yet: follow its SCT instructions first.",
    mayHave: ["iban"],
  },
  SedaMandatePresent: {
    status: 400,
    description: "The wallet has a SEDA mandate that is draft or active: disable it first.",
    properties: { mandateStatus: "Active" },
  },
  WalletNotActive: {
    status: 400,
    description: "The wallet is not active: reactivate it first.",
    properties: { status: "Suspended" },
  },
  WalletNotSuspended: {
    status: 400,
    description: "The wallet is not suspended: suspend it first.",
    properties: { status: "Active" },
  },
  WalletNotClosed: {
    status: 400,
    description: "The wallet is not closed: close it first.",
    properties: { status: "Suspended" },
  },
  WalletBalanceNotZero: {
    status: 400,
    description: "The wallet still holds funds: pay them out before it is closed.",
    properties: { availableBalance: "12.5" },
  },
  ActivationFlowNotEnabled: {
    status: 400,
    description:
      "The contract activation flow is not enabled for this partner: go on without a contract.",
    properties: { partnerKey: "initech" },
  },
  ContractNotSigned: {
    status: 400,
    description: "The contract is not signed yet: sign it first.",
    properties: { status: "NotSigned" },
  },
  WalletOfAnotherPartner: {
    status: 403,
    description: "The wallet belongs to another partner: name one of your own.",
    properties: { walletId: "01980d3c-93a5-7cc4-8a63-5f2a8f0e1b77" },
  },
  WalletNotFound: {
    status: 404,
    description: "No wallet has this identifier: check it.",
    properties: { walletId: "01980d3c-93a5-7cc4-8a63-5f2a8f0e1b77" },
  },
  ContractTemplateNotFound: {
    status: 404,
    description: "The partner has no contract template: the platform's operators set one.",
    properties: { partnerKey: "acme" },
  },
  DocumentNotFound: {
    status: 404,
    description: "The document does not exist: have it made first.",
    properties: { walletId: "01980d3c-93a5-7cc4-8a63-5f2a8f0e1b77" },
  },
  InstructionsNotFound: {
    status: 404,
    description: "The wallet has no SCT instructions: set an IBAN first.",
    properties: { walletId: "01980d3c-93a5-7cc4-8a63-5f2a8f0e1b77" },
  },
  StatisticsNotFound: {
    status: 404,
    description: "There are no wallets to count yet: create one first.",
    mayHave: ["partnerKey", "dealerKey"],
  },
} as const satisfies ErrorEntries;
