/** The partner looks after its wallets: finds them, counts them, changes data, reads who changed what. */
import { getAuditRoute } from "../../../shared/contracts/accounting/audit.js";
import * as mandateList from "../../../shared/contracts/mandates/list.js";
import { postponeDepositRoute } from "../../../shared/contracts/mandates/mandates.js";
import * as told from "../../../shared/contracts/story/story.js";
import * as search from "../../../shared/contracts/wallet/search.js";
import * as statistics from "../../../shared/contracts/wallet/statistics.js";
import type { Customer } from "./onboarding.js";
import type { Story } from "./teller.js";

export const lookAfter = async (
  { at, tell }: Story,
  { walletId, mandateId }: Customer,
): Promise<void> => {
  await at("2025-03-12T09:00");
  const params = { walletId };
  const { dealerKey } = told;
  const query = { pageSize: 10, pageNumber: 1 };
  await tell(search.getAllWalletsRoute, { query });
  await tell(search.searchWalletRoute, { body: { lastName: told.holder.lastName } });
  await tell(statistics.getPartnerStatisticsRoute, {});
  await tell(statistics.getDealerStatisticsRoute, { params: { dealerKey } });
  const newDepositDate = "2025-05-14";
  await tell(postponeDepositRoute, { params, query: { newDepositDate } });
  await tell(mandateList.listMandatesRoute, { query: { walletId, status: "Active" } });
  await tell(mandateList.getMandateRoute, { params: { mandateId } });
  await tell(getAuditRoute, { params: { entity: "Wallet", id: walletId }, query: { pageSize: 1 } });
};
