/** What mandateDeposit does: looks how far the bank is with a collection, and asks it again. */
import type { Database } from "../shared/database/platform/database.js";
import {
  collectionState,
  inquireCollection,
} from "../shared/database/mandates/open-collections.js";
import { activity, type Activity } from "../shared/durable/register.js";
import { askForCollectionAgain, readCollection } from "./mandate-deposit.flow.js";

export const mandateDepositActivities = (
  database: Database,
  { silenceSeconds }: { readonly silenceSeconds: number },
): readonly Activity[] => [
  activity(readCollection, ({ requestId }) => collectionState(database, requestId, silenceSeconds)),
  activity(askForCollectionAgain, async ({ requestId, inquiries }) => {
    await inquireCollection(database, requestId, inquiries);
    return null;
  }),
];
