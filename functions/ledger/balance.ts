/** GET …/balance: what the wallet can spend now. */
import { getWalletBalanceRoute } from "../../shared/contracts/ledger/balance.js";
import { findBalance } from "../../shared/database/ledger/ledger.js";
import { amountOf } from "../../shared/domain/money.js";
import { endpoint } from "../kit/endpoint.js";

export const getWalletBalance = endpoint(
  getWalletBalanceRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const found = await findBalance(database, caller, params.walletId);
    return found.ok ? ok({ availableBalance: amountOf(found.value) }) : refuse(found);
  },
);
