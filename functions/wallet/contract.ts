/** A wallet's contract: template, filled form, signature by the flow, signed PDF. */
import {
  getContractFilledRoute,
  getContractSignedRoute,
  getContractTemplateRoute,
  signContractRoute,
} from "../../shared/contracts/wallet/contract.js";
import { findContract, requestSignature, type Contract } from "../../shared/database/contracts.js";
import { findWallet } from "../../shared/database/wallets.js";
import { contractTemplate, fillContract } from "../../shared/documents/contract-pdf.js";
import { refusal, success, type Outcome } from "../../shared/domain/outcome.js";
import type { Caller } from "../authorize.js";
import { endpoint } from "../endpoint.js";
import { readUntil } from "../wait-until.js";

const activationFlow = ({
  partnerKey,
  settings,
}: Caller): Outcome<null, "ActivationFlowNotEnabled"> =>
  settings.activationFlowEnabled
    ? success(null)
    : refusal("ActivationFlowNotEnabled", { partnerKey });

const getTemplateEndpoint = endpoint(
  getContractTemplateRoute,
  async (_services, { caller, ok, refuse }) => {
    const enabled = activationFlow(caller);
    if (!enabled.ok) return refuse(enabled);
    return ok({ bytes: await contractTemplate(), filename: "contract-template.pdf" });
  },
);

const getFilledEndpoint = endpoint(
  getContractFilledRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const found = await findWallet(database, caller, params.walletId);
    if (!found.ok) return refuse(found);
    const enabled = activationFlow(caller);
    if (!enabled.ok) return refuse(enabled);
    return ok({ bytes: await fillContract(found.value), filename: "contract.pdf" });
  },
);

const isSettled = (contract: Contract | undefined): boolean => contract?.status !== "Signing";

const signEndpoint = endpoint(
  signContractRoute,
  async ({ database, clock }, { params: { walletId }, caller, ok, refuse }) => {
    const found = await findWallet(database, caller, walletId);
    if (!found.ok) return refuse(found);
    const enabled = activationFlow(caller);
    if (!enabled.ok) return refuse(enabled);
    const requested = await requestSignature(database, caller, walletId);
    if (!requested.ok) return refuse(requested);
    const contract = isSettled(requested.value)
      ? requested.value
      : await readUntil(() => findContract(database, walletId), isSettled, clock);
    const isSigned = contract?.status === "Signed";
    return ok({
      walletId,
      status: isSigned ? "Signed" : "Signing",
      signedAt: isSigned ? (contract.signedAt?.toISOString() ?? null) : null,
    });
  },
);

const getSignedEndpoint = endpoint(
  getContractSignedRoute,
  async ({ database, documents }, { params: { walletId }, caller, ok, refuse }) => {
    const found = await findWallet(database, caller, walletId);
    if (!found.ok) return refuse(found);
    const enabled = activationFlow(caller);
    if (!enabled.ok) return refuse(enabled);
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
