/** A wallet's contract: template, filled form, signature by the flow, signed PDF. */
import type { PartnerSettings } from "../../shared/contracts/platform/partner-settings.js";
import {
  getContractFilledRoute,
  getContractSignedRoute,
  getContractTemplateRoute,
  signContractRoute,
} from "../../shared/contracts/onboarding/contract.js";
import type { Wallet } from "../../shared/contracts/wallet/wallets.js";
import {
  findContract,
  requestSignature,
  type Contract,
} from "../../shared/database/onboarding/contracts.js";
import { findWallet } from "../../shared/database/wallet/wallets.js";
import { refusal, success, type Outcome } from "../../shared/domain/outcome.js";
import type { Caller } from "../kit/authorize.js";
import { endpoint } from "../kit/endpoint.js";
import type { Services } from "../kit/services.js";
import { readUntil } from "../kit/wait-until.js";
import { settingsFor } from "../kit/partner-settings.js";

const activationFlow = (
  partnerKey: string,
  settings: PartnerSettings,
): Outcome<null, "ActivationFlowNotEnabled"> =>
  settings.activationFlowEnabled
    ? success(null)
    : refusal("ActivationFlowNotEnabled", { partnerKey });

const templateMissing = (partnerKey: string) => refusal("ContractTemplateNotFound", { partnerKey });

interface WalletWithContract {
  readonly wallet: Wallet;
  /** The document of its partner's template. */
  readonly template: string | null;
}

/** The wallet, where its partner's wallets have contracts. */
const walletWithContract = async (
  services: Services,
  caller: Caller,
  walletId: string,
): Promise<
  Outcome<
    WalletWithContract,
    "WalletNotFound" | "WalletOfAnotherPartner" | "ActivationFlowNotEnabled"
  >
> => {
  const found = await findWallet(services.database, caller, walletId);
  if (!found.ok) return found;
  const settings = await settingsFor(services, caller, found.value);
  const enabled = activationFlow(found.value.partnerKey, settings);
  return enabled.ok
    ? success({ wallet: found.value, template: settings.contract.template })
    : enabled;
};

const getTemplateEndpoint = endpoint(
  getContractTemplateRoute,
  async ({ contractForms }, { caller, ok, refuse }) => {
    const enabled = activationFlow(caller.partnerKey, caller.settings);
    if (!enabled.ok) return refuse(enabled);
    const { template } = caller.settings.contract;
    const bytes = template === null ? undefined : await contractForms.read(template);
    if (bytes === undefined) return refuse(templateMissing(caller.partnerKey));
    return ok({ bytes, filename: "contract-template.pdf" });
  },
);

const getFilledEndpoint = endpoint(
  getContractFilledRoute,
  async (services, { params, caller, ok, refuse }) => {
    const found = await walletWithContract(services, caller, params.walletId);
    if (!found.ok) return refuse(found);
    const { wallet, template } = found.value;
    const bytes =
      template === null ? undefined : await services.contractForms.fill(template, wallet);
    if (bytes === undefined) return refuse(templateMissing(wallet.partnerKey));
    return ok({ bytes, filename: "contract.pdf" });
  },
);

const isSettled = (contract: Contract | undefined): boolean => contract?.status !== "Signing";

const signEndpoint = endpoint(
  signContractRoute,
  async (services, { params: { walletId }, caller, ok, refuse }) => {
    const { database, clock, changes, contractForms } = services;
    const found = await walletWithContract(services, caller, walletId);
    if (!found.ok) return refuse(found);
    const { wallet, template } = found.value;
    if (template === null || !(await contractForms.has(template)))
      return refuse(templateMissing(wallet.partnerKey));
    const requested = await requestSignature(database, caller, walletId);
    if (!requested.ok) return refuse(requested);
    const contract = await readUntil<Contract | undefined>(
      requested.value,
      () => findContract(database, walletId),
      isSettled,
      { clock, changes, key: walletId },
    );
    // A contract goes only with its wallet, which somebody deleted meanwhile.
    if (contract === undefined) return refuse(refusal("WalletNotFound", { walletId }));
    if (contract.status === "Closed")
      return refuse(refusal("WalletNotActive", { status: "Closed" }));
    const isSigned = contract.status === "Signed";
    return ok({
      walletId,
      status: isSigned ? "Signed" : "Signing",
      signedAt: isSigned ? (contract.signedAt?.toISOString() ?? null) : null,
    });
  },
);

const getSignedEndpoint = endpoint(
  getContractSignedRoute,
  async (services, { params: { walletId }, caller, ok, refuse }) => {
    const { database, documents } = services;
    const found = await walletWithContract(services, caller, walletId);
    if (!found.ok) return refuse(found);
    const contract = await findContract(database, walletId);
    if (contract?.documentKey == null)
      return refuse(refusal("ContractNotSigned", { status: contract?.status ?? "NotSigned" }));
    const document = await documents.get(contract.documentKey);
    if (document === undefined) return refuse(refusal("DocumentNotFound", { walletId }));
    return ok({ bytes: document.bytes, filename: "contract-signed.pdf" });
  },
);

export const contractEndpoints = [
  getTemplateEndpoint,
  getFilledEndpoint,
  signEndpoint,
  getSignedEndpoint,
];
