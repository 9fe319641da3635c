/** The holder's identity changes, through the front door: the proof of the IBAN, the contract, the mandate. */
import { PDF } from "@libpdf/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getContractSignedRoute } from "../../shared/contracts/onboarding/contract.js";
import { getSctInstructionsRoute } from "../../shared/contracts/onboarding/iban.js";
import {
  getWalletRoute,
  updateWalletAttributesRoute,
  updateWalletRoute,
  type Wallet,
} from "../../shared/contracts/wallet/wallets.js";
import type { Client } from "../../shared/http/client.js";
import { clientOf, valueOf } from "../support/platform/api.js";
import { partnerAt, type Owner, type Partner } from "../support/platform/partner.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { otherLastName, otherTaxId } from "../support/wallet/identities.js";

let stack: TestStack;
let client: Client;
let globex: Partner;

beforeAll(async () => {
  stack = await startTestStack();
  client = clientOf(stack, "globex");
  globex = partnerAt(stack, "globex");
});
afterAll(async () => {
  await stack.stop();
});

const onboarded = async (): Promise<Owner> => {
  const owner = await globex.openValidatedWallet();
  await globex.signContract(owner);
  await globex.onboardingBecomes(owner, "Completed");
  return owner;
};

const rename = async ({ walletId, person }: Owner, lastName: string): Promise<Wallet> => {
  const { firstName, phoneNumber } = person.owner;
  const body = { firstName, lastName, phoneNumber };
  return valueOf(await client.call(updateWalletAttributesRoute, { params: { walletId }, body }));
};

const statuses = async (owner: Owner) =>
  (await globex.onboarding(owner)).steps.map(({ status }) => status);

const signedText = async ({ walletId }: Owner): Promise<string> => {
  const pdf = valueOf(await client.call(getContractSignedRoute, { params: { walletId } }));
  const texts = (await PDF.load(pdf)).extractText();
  return texts.map(({ text }) => text).join("\n");
};

test("another name has IBAN and contract proved anew; the contract of before stays readable", async () => {
  const owner = await onboarded();
  const { firstName, lastName } = owner.person.owner;
  const before = valueOf(
    await client.call(getWalletRoute, { params: { walletId: owner.walletId } }),
  );

  const renamed = await rename(owner, otherLastName(lastName));
  expect(renamed).toMatchObject({ isIbanValidated: false, iban: owner.person.iban });
  expect(renamed.ibanValidationCode).not.toBe(before.ibanValidationCode);
  expect(await globex.onboarding(owner)).toMatchObject({ status: "Running", endedAt: null });
  expect(await statuses(owner)).toEqual(["Waiting", "Waiting", "Waiting"]);
  expect(await signedText(owner)).toContain(lastName);

  const { reason, destinationIban, amountFirstDeposit } = valueOf(
    await client.call(getSctInstructionsRoute, { params: { walletId: owner.walletId } }),
  );
  const instructions = {
    ...{ destinationIban, ibanValidationCode: reason },
    transferAmount: amountFirstDeposit ?? 0,
  };
  await globex.pay(owner, instructions);
  await globex.stepBecomes(owner, "ibanValidation", "Waiting", /DebtorName/);
  await globex.pay(owner, instructions, {
    debtorName: `${otherLastName(lastName)} ${firstName}`.toUpperCase(),
  });
  await globex.stepBecomes(owner, "ibanValidation", "Completed");
  expect(await globex.signContract(owner)).toMatchObject({ status: "Signed" });
  expect(await signedText(owner)).toContain(otherLastName(lastName));
  await globex.onboardingBecomes(owner, "Completed");
});

test("another spelling of the same name changes nothing that was proved", async () => {
  const owner = await onboarded();
  const { firstName, lastName } = owner.person.owner;
  const spelled = lastName.toUpperCase().replace("O", "Ò");
  expect(await rename(owner, spelled)).toMatchObject({
    ...{ firstName, lastName: spelled },
    isIbanValidated: true,
  });
  expect((await globex.onboarding(owner)).status).toBe("Completed");
});

test("another tax id has the contract signed anew, and the IBAN stays validated", async () => {
  const owner = await onboarded();
  const { walletId } = owner;
  const body = { taxId: otherTaxId(owner.person.owner.taxId), email: owner.person.owner.email };
  const changed = valueOf(await client.call(updateWalletRoute, { params: { walletId }, body }));
  expect(changed).toMatchObject({ isIbanValidated: true });
  expect(await statuses(owner)).toEqual(["Completed", "Waiting", "Waiting"]);
  await globex.signContract(owner);
  expect(await signedText(owner)).toContain(body.taxId);
  await globex.onboardingBecomes(owner, "Completed");
});
