/** The partner's mandates, and the next deposit of one of them. */
import { getMandateRoute, listMandatesRoute } from "../../shared/contracts/mandates/list.js";
import { postponeDepositRoute } from "../../shared/contracts/mandates/mandates.js";
import { findAnyMandate, listMandates } from "../../shared/database/mandates/list.js";
import { postponeDeposit } from "../../shared/database/mandates/postponing.js";
import { checkedRange } from "../../shared/domain/date-range.js";
import { endpoint } from "../kit/endpoint.js";

const listEndpoint = endpoint(
  listMandatesRoute,
  async ({ database }, { query, caller, ok, refuse }) => {
    const range = checkedRange(query);
    if (!range.ok) return refuse(range);
    return ok(await listMandates(database, caller.partnerKey, range.value, query, query));
  },
);

const getEndpoint = endpoint(
  getMandateRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const found = await findAnyMandate(database, caller, params.mandateId);
    return found.ok ? ok(found.value) : refuse(found);
  },
);

const postponeEndpoint = endpoint(
  postponeDepositRoute,
  async ({ database }, { params, query, caller, ok, refuse }) => {
    const put = await postponeDeposit(database, caller, params.walletId, query.newDepositDate);
    return put.ok ? ok(put.value.mandate) : refuse(put);
  },
);

export const mandateListEndpoints = [listEndpoint, getEndpoint, postponeEndpoint];
