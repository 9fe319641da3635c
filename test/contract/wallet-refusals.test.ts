/** Every refusal that a wallet route declares, reached through HTTP, with what it says about the cause. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { endpointsOf } from "../../functions/endpoints.js";
import type { Route } from "../../shared/contracts/route.js";
import { errorTable, type ErrorCode } from "../../shared/contracts/errors.js";
import * as contract from "../../shared/contracts/onboarding/contract.js";
import * as iban from "../../shared/contracts/onboarding/iban.js";
import * as mandates from "../../shared/contracts/mandates/mandates.js";
import * as wallets from "../../shared/contracts/wallet/wallets.js";
import type { Database } from "../../shared/database/platform/database.js";
import {
  addressOf,
  clientOf,
  headersOf,
  openStackDatabase,
  partnerNamed,
  send,
} from "../support/platform/api.js";
import { ownership as ownershipOf, type RefusalCase } from "../support/platform/refusal-cases.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { openValidatedWallet, someone } from "../support/wallet/wallet-fixtures.js";
import { notificationCases } from "../support/accounting/notification-refusals.js";
import { eventLogCases } from "../support/events/log-refusals.js";
import { settlementCases } from "../support/settlement/settlement-refusals.js";
import { storeMandateCases } from "../support/stores/store-mandate-refusals.js";
import { storeCases } from "../support/stores/store-refusals.js";
import { bulkCases, groupCases } from "../support/operations/group-refusals.js";
import { figureCases } from "../support/operations/list-refusals.js";
import { operationCases } from "../support/operations/operation-refusals.js";
import { operationStates, withoutSettlement } from "../support/operations/operation-states.js";
import { mandateListCases } from "../support/wallet/mandate-refusals.js";
import { forcePushCases } from "../support/events/force-push-refusals.js";
import { managementCases } from "../support/wallet/wallet-management-refusals.js";
import { walletStates, type Given } from "../support/wallet/wallet-states.js";

let stack: TestStack;
let database: Database;
const tokens = new Map<string, string>();

const states = walletStates(() => database);
const operations = operationStates(() => database);
const { anyWallet, validated, withMandate, inStatus, ofGlobex, nowhere } = states;

type Case = RefusalCase;

const taken = someone();
const person = someone().owner;
const identity = { taxId: person.taxId, email: "nobody.else@example.com" };
const sound = someone();
const germanIban = "DE89370400440532013000";
const brazilianIban = "BR1800360305000010009795493C1";

const ownership = (route: Route, body?: unknown): Case[] => ownershipOf(states, route, body);

const create = (code: ErrorCode, change: object, says: Record<string, string>): Case => ({
  route: wallets.createWalletRoute,
  code,
  given: nowhere,
  body: { ...sound.owner, ...change },
  says,
});

const walletCases: readonly Case[] = [
  create("TaxIdInvalid", { taxId: "RSSMRA85T10A562X" }, { fault: "checkLetter" }),
  create("NamesDoNotMatchTaxId", { lastName: "Zzz" }, { lastName: "Zzz" }),
  create("PhoneNumberInvalid", { phoneNumber: "12" }, { phoneNumber: "12" }),
  create("TaxIdAlreadyAssociated", taken.owner, { taxId: taken.owner.taxId }),
  create("EmailAlreadyInUse", { email: taken.owner.email }, { email: taken.owner.email }),
  create("DealerNotFound", { originatingDealerKey: "no" }, { originatingDealerKey: "no" }),
  create(
    "DealerOfAnotherPartner",
    { originatingDealerKey: "dealer-turin" },
    { originatingDealerKey: "dealer-turin" },
  ),
  ...ownership(wallets.getWalletRoute),
  ...ownership(wallets.updateWalletRoute, identity),
  {
    route: wallets.updateWalletRoute,
    code: "TaxIdInvalid",
    given: anyWallet,
    body: { ...identity, taxId: "RSSMRA85B30A562" },
    says: { fault: "shape" },
  },
  {
    route: wallets.updateWalletRoute,
    code: "TaxIdAlreadyAssociated",
    given: anyWallet,
    body: { ...identity, taxId: taken.owner.taxId.toLowerCase() },
    says: { taxId: taken.owner.taxId },
  },
  {
    route: wallets.updateWalletRoute,
    code: "EmailAlreadyInUse",
    given: anyWallet,
    body: { ...identity, email: taken.owner.email.toUpperCase() },
    says: { email: taken.owner.email },
  },
  {
    route: wallets.updateWalletRoute,
    code: "SedaMandatePresent",
    given: withMandate("Active"),
    body: identity,
    says: { mandateStatus: "Active" },
  },
  {
    route: wallets.updateWalletRoute,
    code: "WalletNotActive",
    given: inStatus("Closed"),
    body: identity,
    says: { status: "Closed" },
  },
  ...ownership(wallets.updateWalletAttributesRoute, {
    firstName: "A",
    lastName: "B",
    phoneNumber: "3331234567",
  }),
  {
    route: wallets.updateWalletAttributesRoute,
    code: "ValidationFailed",
    given: anyWallet,
    body: { firstName: "A", lastName: "B", phoneNumber: "3331234567", country: "IT", zipCode: "4" },
    says: { "/zipCode": "must be five digits where the country is IT." },
  },
  ...(
    [
      ["NamesDoNotMatchTaxId", anyWallet, "3331234567"],
      ["PhoneNumberInvalid", anyWallet, "12"],
      ["WalletNotActive", inStatus("Closed"), "3331234567"],
    ] as const
  ).map(([code, given, phoneNumber]) => ({
    route: wallets.updateWalletAttributesRoute,
    code,
    given,
    body: { firstName: "Zzz", lastName: "Zzz", phoneNumber },
  })),
];

const ibanCase = (code: ErrorCode, given: Given, body: object, says = {}): Case => ({
  route: iban.updateWalletIbanRoute,
  code,
  given,
  body,
  says,
});

const ibanCases: readonly Case[] = [
  ...ownership(iban.updateWalletIbanRoute, { iban: sound.iban }),
  ibanCase("IbanInvalid", anyWallet, { iban: "IT00" }, { iban: "IT00", fault: "iban" }),
  ibanCase("BicRequired", anyWallet, { iban: germanIban }, { iban: germanIban }),
  ibanCase("IbanInvalid", anyWallet, { iban: brazilianIban }, { fault: "country" }),
  ibanCase(
    "BicInvalid",
    anyWallet,
    { iban: germanIban, bic: "BCITITMM" },
    { bic: "BCITITMM", country: "is not the IBAN's, DE." },
  ),
  ibanCase("IbanAlreadyAssociated", anyWallet, { iban: taken.iban }, { iban: taken.iban }),
  ibanCase("WalletNotActive", inStatus("Closed"), { iban: sound.iban }, { status: "Closed" }),
  ...ownership(iban.deleteWalletIbanRoute),
  { route: iban.deleteWalletIbanRoute, code: "IbanNotSet", given: anyWallet },
  { route: iban.deleteWalletIbanRoute, code: "WalletNotActive", given: inStatus("Closed") },
  ...ownership(iban.getSctInstructionsRoute),
  { route: iban.getSctInstructionsRoute, code: "IbanNotSet", given: anyWallet },
  {
    route: iban.getSctInstructionsRoute,
    code: "InstructionsNotFound",
    given: states.withoutInstructions,
  },
];

const notEnabled = (route: Route): Case => ({
  route,
  code: "ActivationFlowNotEnabled",
  given: ofGlobex,
  as: "globex",
  says: { partnerKey: "globex" },
});

const contractCases: readonly Case[] = [
  notEnabled(contract.getContractTemplateRoute),
  { route: contract.signContractRoute, code: "WalletNotActive", given: inStatus("Suspended") },
  ...[
    contract.getContractFilledRoute,
    contract.signContractRoute,
    contract.getContractSignedRoute,
  ].flatMap((route: Route) => [notEnabled(route), ...ownership(route)]),
  {
    route: contract.getContractSignedRoute,
    code: "ContractNotSigned",
    given: anyWallet,
    says: { status: "NotSigned" },
  },
  {
    route: contract.getContractSignedRoute,
    code: "DocumentNotFound",
    given: states.signedWithoutDocument,
  },
];

const templateCases = [
  contract.getContractTemplateRoute,
  contract.getContractFilledRoute,
  contract.signContractRoute,
].map((route: Route): Case => ({
  route,
  code: "ContractTemplateNotFound",
  given: states.ofInitech,
  as: "initech",
  says: { partnerKey: "initech" },
}));

const draft = { amount: 100 };
const mandateCase = (code: ErrorCode, given: Given, body: object, says = {}): Case => ({
  route: mandates.initialiseMandateRoute,
  code,
  given,
  body,
  says,
});

const mandateCases: readonly Case[] = [
  ...ownership(mandates.initialiseMandateRoute, draft),
  mandateCase("AmountScaleInvalid", validated, { amount: 10.123 }, { amount: "10.123" }),
  mandateCase("WalletNotActive", inStatus("Suspended"), draft, { status: "Suspended" }),
  mandateCase("IbanNotValidated", anyWallet, draft),
  mandateCase("MandateAlreadyPresent", withMandate("Filled"), draft, { mandateStatus: "Filled" }),
  ...ownership(mandates.getWalletMandateRoute),
  { route: mandates.getWalletMandateRoute, code: "MandateNotFound", given: validated },
  ...ownership(mandates.getMandatePdfRoute),
  { route: mandates.getMandatePdfRoute, code: "DocumentNotFound", given: withMandate("Draft") },
  ...[mandates.fillMandateRoute, mandates.signMandateRoute].map((route): Case => ({
    route,
    code: "WalletNotActive",
    given: inStatus("Suspended"),
    says: { status: "Suspended" },
  })),
  ...(
    [
      [mandates.fillMandateRoute, "Active"],
      [mandates.signMandateRoute, "Draft"],
      [mandates.disableMandateRoute, "Cancelled"],
    ] as const
  ).flatMap(([route, status]: readonly [Route, string]): Case[] => [
    ...ownership(route),
    { route, code: "MandateNotFound", given: validated },
    {
      route,
      code: "MandateStatusInvalid",
      given: withMandate(status),
      says: { mandateStatus: status },
    },
  ]),
];

const cases = [
  ...walletCases,
  ...ibanCases,
  ...contractCases,
  ...mandateCases,
  ...mandateListCases(states),
  ...managementCases(states),
  ...forcePushCases(() => database, states),
  ...storeCases(() => database),
  ...storeMandateCases(() => database),
  ...settlementCases(() => database),
  ...notificationCases(states, () => database),
  ...operationCases(states, operations),
  ...groupCases(states, operations),
  ...bulkCases(states, operations),
  ...figureCases(states, () => database),
  ...eventLogCases(() => database),
  // Last, since they give a wallet to the partner that had none.
  ...templateCases,
];

beforeAll(async () => {
  stack = await startTestStack({ environment: withoutSettlement });
  database = openStackDatabase(stack);
  await database.ready();
  // Before its first call, since the platform remembers a partner's settings for a while.
  await database.execute(
    `update borsello.partner set settings = settings ||
       '{"activationFlowEnabled": false, "closing": {"requiresZeroBalance": true}, "fees": [
         {"family": "LoyaltyDeposit", "fixedCents": 1100},
         {"family": "WelfareDeposit", "fixedCents": 1100}]}'
     where partner_key = 'globex'`,
  );
  await database.execute(
    `update borsello.partner set roles = roles || '{Wallet.Write}', settings = settings ||
       '{"activationFlowEnabled": true, "contract": {"template": "nowhere"}}'
     where partner_key = 'initech'`,
  );
  for (const partner of ["acme", "globex", "initech"])
    tokens.set(partner, await clientOf(stack, partner).token());
  await openValidatedWallet(database, taken);
});

afterAll(async () => {
  await database.close();
  await stack.stop();
});

/** A call that is refused leaves a state as it was: the next row has it, too, but where it is prepared further. */
const standing = new Map<Given, Promise<string>>();

const stateOf = ({ given, prepare }: Case): Promise<string> => {
  if (prepare !== undefined) return given();
  const state = standing.get(given) ?? given();
  standing.set(given, state);
  return state;
};

/** `id` is the wallet's or the store's that the state was made for. */
const callAs = async (row: Case, id: string) => {
  const { route, query = "", as = "acme" } = row;
  const prepared = (await row.prepare?.(id)) ?? {};
  const params = { walletId: id, storeId: id, ...row.params, ...prepared.params };
  const body = prepared.body ?? row.body;
  const answer = await send(stack, `${addressOf(route, params)}?${query}`, {
    method: route.method,
    headers: {
      ...headersOf(route, tokens.get(as) ?? ""),
      authkey: partnerNamed(as).authKey,
      partner: as,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await prepared.release?.();
  return answer;
};

test.each(cases.map((row) => ({ ...row, id: row.route.id })))("$id: $code", async (row) => {
  const answer = await callAs(row, await stateOf(row));
  expect(answer.status).toBe(errorTable[row.code].status);
  expect(answer.body).toEqual({
    errorCode: row.code,
    errorDescription: errorTable[row.code].description,
    errorProperties: expect.objectContaining(row.says ?? {}) as unknown,
  });
});

test("each refusal that the wallet's routes declare has a row here", () => {
  const declared = endpointsOf("development").flatMap(({ route: { id, api, errors } }) =>
    api === "wallet" ? errors.map((code) => `${id}: ${code}`) : [],
  );
  const reached = new Set(cases.map(({ route, code }) => `${route.id}: ${code}`));
  // Only in production: no account that IBANs are verified by.
  const elsewhere = ["updateWalletIban: InstructionsNotFound"];
  expect([...reached, ...elsewhere].toSorted()).toEqual(declared.toSorted());
});
