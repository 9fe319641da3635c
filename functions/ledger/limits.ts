/** GET …/limits: a wallet's limits and how much of them is used. */
import { getWalletLimitsRoute } from "../../shared/contracts/ledger/limits.js";
import { limitBounds } from "../../shared/database/ledger/limit-bounds.js";
import { findLimits } from "../../shared/database/ledger/wallet-limits.js";
import { endpoint } from "../kit/endpoint.js";
import { settingsFor } from "../kit/partner-settings.js";

export const getWalletLimits = endpoint(
  getWalletLimitsRoute,
  async (services, { params, caller, ok, refuse }) => {
    const found = await findLimits(services.database, caller, params.walletId, async (wallet) =>
      limitBounds(await settingsFor(services, caller, wallet)),
    );
    return found.ok ? ok(found.value) : refuse(found);
  },
);
