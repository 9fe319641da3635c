/** Clearings and exports of their files that somebody asks for at once. */
import {
  triggerClearingExportRoute,
  triggerClearingRoute,
} from "../../shared/contracts/clearing/flows.js";
import { forceExport, forceQueue } from "../../shared/database/clearing/requests.js";
import { romeToday } from "../../shared/database/platform/platform-time.js";
import { refusal } from "../../shared/domain/outcome.js";
import { endpoint } from "../kit/endpoint.js";

const triggerClearing = endpoint(
  triggerClearingRoute,
  async ({ database, config }, { body, caller, ok, refuse }) => {
    const { issuer: cardIssuer } = config.card;
    const issuerKey = body?.issuerKey ?? cardIssuer;
    if (issuerKey !== cardIssuer)
      return refuse(
        refusal("ValidationFailed", {
          "/issuerKey": `must be ${cardIssuer}, the issuer of the cards.`,
        }),
      );
    const today = await romeToday(database);
    const clearingDate = body?.clearingDate ?? today;
    if (clearingDate > today)
      return refuse(
        refusal("ValidationFailed", { "/clearingDate": `must not be after today, ${today}.` }),
      );
    const day = { issuerKey, clearingDate };
    const run = await forceQueue(database, caller, day, body?.mode ?? "Full");
    return run.ok ? ok(run.value) : refuse(run);
  },
);

const triggerClearingExport = endpoint(
  triggerClearingExportRoute,
  async ({ database }, { body, caller, ok, refuse }) => {
    const {
      clearingBookmarkId,
      issuerKey = null,
      clearingDate = null,
      affiliateKeys = null,
    } = body;
    const run = await forceExport(database, caller, {
      ...{ clearingBookmarkId, issuerKey, clearingDate, affiliateKeys },
    });
    return run.ok ? ok(run.value) : refuse(run);
  },
);

export const clearingFlowEndpoints = [triggerClearing, triggerClearingExport] as const;
