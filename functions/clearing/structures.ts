/** GET …/structures/…: what the lines of clearing files look like. */
import {
  exampleLines,
  getClearingHeaderStructureRoute,
  getClearingRecordStructureRoute,
  getFeeHeaderStructureRoute,
  getFeeRecordStructureRoute,
} from "../../shared/contracts/clearing/structures.js";
import { endpoint } from "../kit/endpoint.js";

export const clearingStructureEndpoints = [
  endpoint(getClearingHeaderStructureRoute, async (_services, { ok }) =>
    ok(exampleLines.clearingHeader),
  ),
  endpoint(getClearingRecordStructureRoute, async (_services, { ok }) =>
    ok(exampleLines.clearingRecord),
  ),
  endpoint(getFeeHeaderStructureRoute, async (_services, { ok }) => ok(exampleLines.feeHeader)),
  endpoint(getFeeRecordStructureRoute, async (_services, { ok }) => ok(exampleLines.feeRecord)),
];
