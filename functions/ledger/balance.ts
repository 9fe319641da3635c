/** GET …/balance: what the wallet can spend now, or could at an earlier moment. */
import { getWalletBalanceRoute } from "../../shared/contracts/ledger/balance.js";
import { findBalanceAt } from "../../shared/database/accounting/balance-at.js";
import { findBalance } from "../../shared/database/ledger/ledger.js";
import { amountOf } from "../../shared/domain/money.js";
import { endpoint } from "../kit/endpoint.js";
import { pastMoment } from "../kit/past-moment.js";

export const getWalletBalance = endpoint(
  getWalletBalanceRoute,
  async (services, { params: { walletId }, query, caller, ok, refuse }) => {
    const { database } = services;
    if (query.at === undefined) {
      const found = await findBalance(database, caller, walletId);
      return found.ok ? ok({ availableBalance: amountOf(found.value) }) : refuse(found);
    }
    const at = await pastMoment(services, query.at);
    if (!at.ok) return refuse(at);
    const found = await findBalanceAt(database, caller, walletId, at.value);
    return found.ok ? ok({ availableBalance: amountOf(found.value) }) : refuse(found);
  },
);
