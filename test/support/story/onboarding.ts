/** Mario Rossi opens a wallet in a shop in Rome, proves his account, signs the contract and a mandate. */
import * as contract from "../../../shared/contracts/onboarding/contract.js";
import * as iban from "../../../shared/contracts/onboarding/iban.js";
import { getOnboarding } from "../../../shared/contracts/onboarding/onboarding.js";
import * as mandates from "../../../shared/contracts/mandates/mandates.js";
import { sendBankNotificationRoute } from "../../../shared/contracts/sandbox/bank.js";
import { createStoreRoute } from "../../../shared/contracts/stores/stores.js";
import * as told from "../../../shared/contracts/story/story.js";
import { getDiagnosticsRoute } from "../../../shared/contracts/wallet/diagnostics.js";
import * as wallets from "../../../shared/contracts/wallet/wallets.js";
import type { Story } from "./teller.js";

/** The ids that the platform gave. */
export interface Shop {
  readonly storeId: string;
  /** Of the same owner. */
  readonly secondStoreId: string;
}
export interface Customer {
  readonly walletId: string;
  readonly mandateId: string;
}

export const openShop = async ({ at, tell, call, name }: Story): Promise<Shop> => {
  await at("2025-03-03T08:00");
  await tell(getDiagnosticsRoute, {});
  const { storeId } = await tell(createStoreRoute, {
    params: { dealerKey: told.dealerKey },
    body: told.store,
  });
  name(storeId, told.storeId);
  const second = await call(createStoreRoute, {
    params: { dealerKey: told.dealerKey },
    body: told.secondStore,
  });
  name(second.storeId, told.secondStoreId);
  return { storeId, secondStoreId: second.storeId };
};

const opensWallet = async ({ at, tell, name }: Story): Promise<string> => {
  await at("2025-03-03T09:15");
  const { walletId } = await tell(wallets.createWalletRoute, {
    body: {
      ...told.holder,
      taxId: told.taxId,
      phoneNumber: told.phoneNumber,
      email: told.email,
      originatingDealerKey: told.dealerKey,
    },
  });
  name(walletId, told.walletId);
  const params = { walletId };
  await at("2025-03-03T09:17");
  await tell(wallets.updateWalletAttributesRoute, {
    params,
    body: { ...told.holder, phoneNumber: told.phoneNumber, ...told.residence },
  });
  const { taxId, email } = told;
  await tell(wallets.updateWalletRoute, { params, body: { taxId, email } });
  await tell(contract.getContractTemplateRoute, {});
  return walletId;
};

const provesAccount = async ({ at, tell, call, until, name }: Story, walletId: string) => {
  const params = { walletId };
  await at("2025-03-03T09:20");
  const asked = await tell(iban.updateWalletIbanRoute, { params, body: { iban: told.iban } });
  name(asked.ibanValidationCode, told.ibanValidationCode);
  await tell(iban.getSctInstructionsRoute, { params });
  await at("2025-03-04T10:05");
  await tell(sendBankNotificationRoute, {
    body: {
      type: "IncomingSctStandard",
      debtorName: `${told.holder.firstName} ${told.holder.lastName}`,
      debtorIban: told.iban,
      creditorIban: asked.destinationIban,
      amount: asked.transferAmount,
      reason: asked.ibanValidationCode,
    },
  });
  await until(
    () => call(wallets.getWalletRoute, { params }),
    ({ isIbanValidated }) => isIbanValidated,
  );
};

const signsContract = async ({ at, tell, call, until }: Story, walletId: string) => {
  const params = { walletId };
  await at("2025-03-04T10:30");
  await tell(contract.getContractFilledRoute, { params });
  await tell(contract.signContractRoute, { params });
  await until(
    () => call(getOnboarding, { params }),
    ({ steps }) =>
      steps.some(({ name, status }) => name === "contractSigning" && status === "Completed"),
  );
  await tell(contract.getContractSignedRoute, { params });
};

const signsMandate = async (
  { at, tell, call, until, name }: Story,
  walletId: string,
): Promise<string> => {
  const params = { walletId };
  await at("2025-03-04T10:45");
  const { mandateId } = await tell(mandates.initialiseMandateRoute, {
    params,
    body: { amount: 50, frequency: "Monthly" },
  });
  name(mandateId, told.mandateId);
  await tell(mandates.fillMandateRoute, { params });
  await tell(mandates.signMandateRoute, { params });
  await until(
    () => call(getOnboarding, { params }),
    ({ status }) => status === "Completed",
  );
  await tell(mandates.getMandatePdfRoute, { params });
  await tell(mandates.getWalletMandateRoute, { params });
  return mandateId;
};

export const onboard = async (story: Story): Promise<Customer> => {
  const walletId = await opensWallet(story);
  await provesAccount(story, walletId);
  await signsContract(story, walletId);
  const mandateId = await signsMandate(story, walletId);
  const params = { walletId };
  await story.tell(getOnboarding, { params });
  await story.tell(wallets.getWalletRoute, { params });
  return { walletId, mandateId };
};
