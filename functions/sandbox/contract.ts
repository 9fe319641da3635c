/** PUT /sandbox/wallets/{walletId}/contract/decline: the customer does not sign. */
import { declineContractRoute } from "../../shared/contracts/sandbox/contract.js";
import { declineContract } from "../../shared/database/onboarding/contracts.js";
import { findWallet } from "../../shared/database/wallet/wallets.js";
import { refusal } from "../../shared/domain/outcome.js";
import { endpoint } from "../kit/endpoint.js";

export const declineContractEndpoint = endpoint(
  declineContractRoute,
  async ({ database }, { params: { walletId }, caller, ok, refuse }) => {
    const wallet = await findWallet(database, caller, walletId);
    if (!wallet.ok) return refuse(wallet);
    if (!caller.settings.activationFlowEnabled)
      return refuse(refusal("ActivationFlowNotEnabled", { partnerKey: caller.partnerKey }));
    const declined = await declineContract(database, caller, walletId);
    return declined.ok ? ok({ walletId, status: declined.value.status }) : refuse(declined);
  },
);
