/** Events of clearings (contract 4.5): to each affiliate of a day, what there is for it. */
import { z } from "zod";
import { OutgoingClearing } from "../clearing/clearings.js";
import { clearingDeductions, clearingFigures } from "../clearing/figures.js";
import { businessEvent, type BusinessEvent } from "./event.js";
import { CalendarDate, Id, PartnerKey, Text } from "./fields.js";
import {
  clearingBookmarkId,
  moments,
  outgoingClearingId,
  outgoingFeesId,
  partnerKey,
} from "../story/story.js";

const clearingDate = "2025-03-18";
const issuerKey = "borsello";

const nothing = (family: object): Record<string, number> =>
  Object.fromEntries(Object.keys(family).map((name) => [name, 0]));

const file = {
  clearingBookmarkId,
  issuerKey,
  affiliateKey: partnerKey,
  clearingDate,
  lastUpdateDate: moments.clearingExported,
  availableRecords: 1,
  ...nothing(clearingFigures),
  ...nothing(clearingDeductions),
  debitsCountEuroZone: 1,
};

/** One purchase of 18.40 in Rome, with its interchange. */
const purchases = OutgoingClearing.parse({
  ...file,
  outgoingClearingId,
  type: "CLEARINGMULTISCHEME",
  fileName: "borsello_20250318_CLEARINGMULTISCHEME_acme.jsonl",
  creationDate: moments.clearingExported,
  interchangeDebitAmountEuroZone: 18.4,
  feeDebitAmountEuroZone: 0.09,
});

/** The card's fee of 1.00. */
const fees = OutgoingClearing.parse({
  ...file,
  outgoingClearingId: outgoingFeesId,
  type: "FEEMULTISCHEME",
  fileName: "borsello_20250318_FEEMULTISCHEME_acme.jsonl",
  creationDate: moments.clearingCut,
  feeDebitAmountEuroZone: 1,
});

const clearingCompleted = businessEvent({
  name: "ClearingCompleted",
  forcedAs: null,
  session: ["clearingBookmarkId"],
  entity: { name: "clearingBookmark", id: "clearingBookmarkId" },
  payload: {
    partnerKey: PartnerKey,
    clearingBookmarkId: Id,
    clearingDate: CalendarDate,
    issuerKey: Text,
    status: Text,
    previousStatus: Text,
    outgoing: z
      .array(OutgoingClearing)
      .min(1)
      .max(2)
      .describe("The affiliate's own: of presentments, of fees, or of both."),
  },
  summary: "A day's clearing is completed, and the affiliate's files can be fetched",
  example: {
    ...{ partnerKey, clearingBookmarkId, clearingDate, issuerKey, outgoing: [purchases, fees] },
    ...{ status: "Completed", previousStatus: "Exporting" },
  },
});

export const clearingEvents: readonly BusinessEvent[] = [clearingCompleted];
