/** Statistics of wallets, of the partner and of one dealer. */
import {
  getDealerStatisticsRoute,
  getPartnerStatisticsRoute,
} from "../../shared/contracts/wallet/statistics.js";
import { dealerStatistics, partnerStatistics } from "../../shared/database/wallet/statistics.js";
import { endpoint } from "../kit/endpoint.js";

const ofPartnerEndpoint = endpoint(
  getPartnerStatisticsRoute,
  async ({ database }, { caller, ok, refuse }) => {
    const found = await partnerStatistics(database, caller.partnerKey);
    return found.ok ? ok(found.value) : refuse(found);
  },
);

const ofDealerEndpoint = endpoint(
  getDealerStatisticsRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const found = await dealerStatistics(database, caller.partnerKey, params.dealerKey);
    return found.ok ? ok(found.value) : refuse(found);
  },
);

export const statisticsEndpoints = [ofPartnerEndpoint, ofDealerEndpoint];
