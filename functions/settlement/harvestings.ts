/** The partner's harvestings: list and count. */
import {
  countHarvestingsRoute,
  listHarvestingsRoute,
} from "../../shared/contracts/settlement/harvestings.js";
import { countHarvestings, listHarvestings } from "../../shared/database/settlement/harvestings.js";
import { checkedRange } from "../../shared/domain/date-range.js";
import { endpoint } from "../kit/endpoint.js";

const listEndpoint = endpoint(
  listHarvestingsRoute,
  async ({ database }, { query, caller, ok, refuse }) => {
    const range = checkedRange(query);
    if (!range.ok) return refuse(range);
    return ok(await listHarvestings(database, caller.partnerKey, range.value, query, query));
  },
);

const countEndpoint = endpoint(
  countHarvestingsRoute,
  async ({ database }, { query, caller, ok, refuse }) => {
    const range = checkedRange(query);
    if (!range.ok) return refuse(range);
    return ok({ value: await countHarvestings(database, caller.partnerKey, range.value, query) });
  },
);

export const harvestingEndpoints = [listEndpoint, countEndpoint] as const;
