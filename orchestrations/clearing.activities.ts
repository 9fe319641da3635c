/** What a clearing does, part by part: each looks at where the day is, and changes nothing where it is elsewhere. */
import { aggregateClearing } from "../shared/database/clearing/aggregation.js";
import { emptyDeleted } from "../shared/database/clearing/deletions.js";
import { exportNextFile, type ExportMeans } from "../shared/database/clearing/exports.js";
import {
  exportWanted,
  failClearing,
  finishExport,
  readClearing,
} from "../shared/database/clearing/flow-state.js";
import { importClearing } from "../shared/database/clearing/imports.js";
import type { IncomingSource } from "../shared/database/clearing/incoming-source.js";
import { activity, type Activity } from "../shared/durable/register.js";
import { clearingParts, failClearingTry, readClearingState } from "./clearing.flow.js";

/** So many files one call writes, so that none is long. */
const filesPerCall = 10;

const sentences = {
  empty: "What deleted files had taken could not be given back.",
  import: "The processor's files could not be taken over.",
  aggregate: "The sums could not be made.",
  export: "The files could not be written.",
} as const;

const exportFiles = async (means: ExportMeans, clearingBookmarkId: string, round: number) => {
  for (let file = 0; file < filesPerCall; file += 1) {
    const wanted = await exportWanted(means.database, clearingBookmarkId);
    if (wanted === undefined) return;
    const { affiliateKeys } = wanted;
    const { isOver, fault } = await exportNextFile(means, clearingBookmarkId, affiliateKeys);
    if (fault !== undefined) {
      await failClearing(means.database, clearingBookmarkId, round, fault);
      return;
    }
    if (isOver) {
      await finishExport(means.database, clearingBookmarkId);
      return;
    }
  }
};

export const clearingActivities = (
  means: ExportMeans,
  source: IncomingSource,
): readonly Activity[] => {
  const { database } = means;
  return [
    activity(readClearingState, ({ clearingBookmarkId, round }) =>
      readClearing(database, clearingBookmarkId, round),
    ),
    activity(clearingParts.empty, async ({ clearingBookmarkId }) => {
      await emptyDeleted(database, source, clearingBookmarkId);
      return null;
    }),
    activity(clearingParts.import, async ({ clearingBookmarkId }) => {
      await importClearing(database, source, clearingBookmarkId);
      return null;
    }),
    activity(clearingParts.aggregate, async ({ clearingBookmarkId }) => {
      await aggregateClearing(database, clearingBookmarkId);
      return null;
    }),
    activity(clearingParts.export, async ({ clearingBookmarkId, round }) => {
      await exportFiles(means, clearingBookmarkId, round);
      return null;
    }),
    activity(failClearingTry, async ({ clearingBookmarkId, round, during }) => {
      await failClearing(database, clearingBookmarkId, round, sentences[during]);
      return null;
    }),
  ];
};
