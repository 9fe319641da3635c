/** Finds wallets: the list by creation date, the search by any of their data. */
import { getAllWalletsRoute, searchWalletRoute } from "../../shared/contracts/wallet/search.js";
import { listWallets } from "../../shared/database/wallet/list.js";
import { searchWallets } from "../../shared/database/wallet/search.js";
import { checkedRange } from "../../shared/domain/date-range.js";
import { checkedSearch } from "../../shared/domain/wallet/search.js";
import { endpoint } from "../kit/endpoint.js";

const listEndpoint = endpoint(
  getAllWalletsRoute,
  async ({ database }, { query, caller, ok, refuse }) => {
    const range = checkedRange(query);
    if (!range.ok) return refuse(range);
    return ok(await listWallets(database, caller.partnerKey, range.value, query));
  },
);

const searchEndpoint = endpoint(
  searchWalletRoute,
  async ({ database }, { query, body, caller, ok, refuse }) => {
    const search = checkedSearch(body);
    if (!search.ok) return refuse(search);
    return ok(await searchWallets(database, caller.partnerKey, search.value, query));
  },
);

export const searchEndpoints = [listEndpoint, searchEndpoint];
