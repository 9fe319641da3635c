/** Clearings on a database alone: what the processor tells, and a flow's steps taken one after the other. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { databaseDocuments } from "../../../functions/kit/document-store.js";
import { clearingActivities } from "../../../orchestrations/clearing.activities.js";
import type { Fee, Presentment } from "../../../shared/contracts/card/processor-messages.js";
import type { ExportMeans } from "../../../shared/database/clearing/exports.js";
import {
  waitingItems,
  type IncomingSource,
} from "../../../shared/database/clearing/incoming-source.js";
import { receiveFee, receivePresentment } from "../../../shared/database/clearing/receiving.js";
import { forceQueue, type ClearingDay } from "../../../shared/database/clearing/requests.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { clearingSteps } from "../../../shared/database/clearing/flow-state.js";
import type { ClearingMode } from "../../../shared/domain/clearing/bookmark-states.js";
import { noFaultPoints } from "../../../shared/platform/fault-points.js";
import { acme, made } from "../wallet/wallet-fixtures.js";

export const presentment = (cardId: string, changes: Partial<Presentment> = {}): Presentment => ({
  eventId: randomUUID(),
  kind: "presentment",
  presentmentId: randomUUID(),
  cardId,
  amount: 30,
  currency: "EUR",
  merchantName: "Bar Centrale",
  merchantCountry: "ITA",
  type: 0,
  isReversal: false,
  mcc: 5_812,
  feeAmount: 0,
  transactionDate: "2026-03-10T12:00:00.000Z",
  ...changes,
});

export const fee = (cardId: string, changes: Partial<Fee> = {}): Fee => ({
  eventId: randomUUID(),
  kind: "fee",
  feeId: randomUUID(),
  cardId,
  amount: 2,
  currency: "EUR",
  feeType: "Membership",
  feeCode: "MF01",
  feeDescription: "Yearly fee",
  ...changes,
});

const fit = async (unfit: Promise<{ readonly reason: string } | undefined>): Promise<void> => {
  const why = await unfit;
  if (why !== undefined) throw new Error(why.reason);
};

export const present = async (
  database: Database,
  cardId: string,
  changes: Partial<Presentment> = {},
): Promise<string> => {
  const told = presentment(cardId, changes);
  await fit(receivePresentment(database, told));
  return told.presentmentId;
};

export const charge = (database: Database, cardId: string): Promise<void> =>
  fit(receiveFee(database, fee(cardId)));

let days = 0;
/** A day that no other test of this file clears. */
export const aDay = (): ClearingDay => {
  days += 1;
  const clearingDate = new Date(Date.UTC(2025, 0, days)).toISOString().slice(0, 10);
  return { issuerKey: "borsello", clearingDate };
};

const Bookmark = z.object({
  clearingBookmarkId: z.string(),
  round: z.int(),
  status: z.string(),
  isResting: z.boolean(),
  attempts: z.int(),
  feedback: z.string().nullable(),
});
export type FoundBookmark = z.output<typeof Bookmark>;

export const bookmarkOf = async (
  database: Database,
  { issuerKey, clearingDate }: ClearingDay,
): Promise<FoundBookmark> => {
  const found = await database.row(
    Bookmark,
    `select clearing_bookmark_id as "clearingBookmarkId", round, status, is_resting as "isResting",
       attempts, feedback
     from borsello.clearing_bookmark where issuer_key = $1 and clearing_date = $2`,
    [issuerKey, clearingDate],
  );
  if (found === undefined) throw new Error(`${clearingDate} has no bookmark`);
  return found;
};

export type TakeStep = (name: string, input: unknown) => Promise<unknown>;

export const meansOf = (database: Database): ExportMeans => ({
  database,
  documents: databaseDocuments(database),
  faults: noFaultPoints,
});

/** Takes a step as the engine would. */
export const stepsOf = (
  database: Database,
  source: IncomingSource = waitingItems(database),
  means: ExportMeans = meansOf(database),
): TakeStep => {
  const activities = new Map(
    clearingActivities(means, source).map(({ name, perform }) => [name, perform]),
  );
  return async (name, input) => {
    const perform = activities.get(name);
    if (perform === undefined) throw new Error(`no activity ${name}`);
    return perform(input);
  };
};

const State = z.object({ next: z.enum(clearingSteps) });
export const partNames = {
  empty: "emptyDeletedClearing",
  import: "importClearing",
  aggregate: "aggregateClearing",
  export: "exportClearing",
} as const;

const stepsMax = 200;

/** As the flow does, until the clearing waits, rests or has ended; or has just come to `until`. */
export const drive = async (
  database: Database,
  day: ClearingDay,
  take: TakeStep = stepsOf(database),
  until?: "import" | "aggregate" | "export",
): Promise<FoundBookmark> => {
  for (let step = 0; step < stepsMax; step += 1) {
    const found = await bookmarkOf(database, day);
    const { clearingBookmarkId, round } = found;
    const input = { clearingBookmarkId, round };
    const { next } = State.parse(await take("readClearingState", input));
    if (next === "end" || next === "wait" || next === until) return found;
    await take(partNames[next], input);
  }
  throw new Error("the clearing comes to no end");
};

export const queueDay = async (
  database: Database,
  day: ClearingDay,
  mode: ClearingMode = "Full",
): Promise<string> => made(await forceQueue(database, acme, day, mode)).status;

/** Queued and driven to its end. */
export const clearDay = async (
  database: Database,
  day: ClearingDay,
  mode: ClearingMode = "Full",
): Promise<FoundBookmark> => {
  await queueDay(database, day, mode);
  return drive(database, day);
};
