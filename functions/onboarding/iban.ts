/** A wallet's IBAN: set it to be verified, remove it, say what to transfer. */
import type { PartnerSettings } from "../../shared/contracts/platform/partner-settings.js";
import {
  deleteWalletIbanRoute,
  getSctInstructionsRoute,
  updateWalletIbanRoute,
} from "../../shared/contracts/onboarding/iban.js";
import { deleteIban, findIbanValidation, setIban } from "../../shared/database/onboarding/ibans.js";
import { findWallet } from "../../shared/database/wallet/wallets.js";
import { amountOf } from "../../shared/domain/money.js";
import { refusal } from "../../shared/domain/outcome.js";
import { checkedAccount } from "../../shared/domain/wallet/iban.js";
import type { CollectionAccount } from "../../shared/platform/settings/wallet-settings.js";
import { endpoint } from "../kit/endpoint.js";
import type { Services } from "../kit/services.js";
import { settingsFor } from "../kit/partner-settings.js";

interface Destination {
  readonly destinationIban: string;
  readonly destinationOwner: string;
}

/** The partner's own account, else the platform's; undefined where neither is set. */
const destinationOf = (
  { config }: Services,
  { ibanVerification: own }: PartnerSettings,
): Destination | undefined => {
  const platform: CollectionAccount | null = config.wallet.collectionAccount;
  const destinationIban = own.destinationIban ?? platform?.iban;
  const destinationOwner = own.destinationOwner ?? platform?.owner;
  return destinationIban === undefined || destinationOwner === undefined
    ? undefined
    : { destinationIban, destinationOwner };
};

const updateIbanEndpoint = endpoint(
  updateWalletIbanRoute,
  async (services, { params: { walletId }, body, caller, ok, refuse }) => {
    const account = checkedAccount(body.iban, body.bic ?? null);
    if (!account.ok) return refuse(account);
    const destination = destinationOf(services, caller.settings);
    if (destination === undefined) {
      // Whose the wallet is comes first: only its own partner learns that the account is missing.
      const found = await findWallet(services.database, caller, walletId);
      return refuse(found.ok ? refusal("InstructionsNotFound", { walletId }) : found);
    }
    const { transferAmountCents, validDays } = caller.settings.ibanVerification;
    const set = await setIban(services.database, caller, walletId, {
      ...account.value,
      transferAmountCents: BigInt(transferAmountCents),
      validDays,
    });
    if (!set.ok) return refuse(set);
    const { wallet, code } = set.value;
    return ok({
      walletId,
      partnerKey: wallet.partnerKey,
      ...account.value,
      isIbanValidated: wallet.isIbanValidated,
      ...destination,
      transferAmount: amountOf(BigInt(transferAmountCents)),
      ibanValidationCode: code,
    });
  },
);

const deleteIbanEndpoint = endpoint(
  deleteWalletIbanRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const deleted = await deleteIban(database, caller, params.walletId);
    return deleted.ok ? ok(deleted.value) : refuse(deleted);
  },
);

const getSctInstructionsEndpoint = endpoint(
  getSctInstructionsRoute,
  async (services, { params: { walletId }, caller, ok, refuse }) => {
    const found = await findWallet(services.database, caller, walletId);
    if (!found.ok) return refuse(found);
    const { partnerKey, iban, isIbanValidated } = found.value;
    if (iban === null) return refuse(refusal("IbanNotSet", { walletId }));
    const settings = await settingsFor(services, caller, found.value);
    const destination = destinationOf(services, settings);
    const validation = await findIbanValidation(services.database, walletId);
    const isAwaited = isIbanValidated || validation?.status === "Waiting";
    if (destination === undefined || validation === undefined || !isAwaited)
      return refuse(refusal("InstructionsNotFound", { walletId }));
    return ok({
      walletId,
      partnerKey,
      ...destination,
      reason: validation.code,
      amountFirstDeposit: isIbanValidated ? null : amountOf(validation.transferAmountCents),
    });
  },
);

export const ibanEndpoints = [updateIbanEndpoint, deleteIbanEndpoint, getSctInstructionsEndpoint];
