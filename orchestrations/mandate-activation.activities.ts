/** What mandateActivation does: seals the mandate's PDF, asks the bank, settles by its answer. */
import { latestMandateRequest } from "../shared/database/bank-requests.js";
import type { Database } from "../shared/database/database.js";
import { mandateState } from "../shared/database/flow-state.js";
import {
  activateMandate,
  disableMandate,
  lapseMandate,
  rejectMandate,
  requestActivation,
} from "../shared/database/mandate-outcomes.js";
import { requestRevocation } from "../shared/database/mandate-revocation.js";
import { activity, type Activity } from "../shared/durable/register.js";
import {
  readMandate,
  requestMandateActivation,
  requestMandateRevocation,
  sealMandatePdf,
  settleMandateActivation,
  settleMandateRevocation,
} from "./mandate-activation.flow.js";

const reject = async (database: Database, mandateId: string): Promise<boolean> => {
  const request = await latestMandateRequest(database, mandateId, "mandateActivation");
  return rejectMandate(database, mandateId, request?.reasonCode ?? null);
};

const settlements = { Active: activateMandate, Rejected: reject, Lapsed: lapseMandate } as const;

/** `sealPdf` resolves to the document's key; sealing again finds the first document. */
export const mandateActivationActivities = (
  database: Database,
  sealPdf: (mandateId: string) => Promise<string>,
): readonly Activity[] => [
  activity(readMandate, ({ mandateId }) => mandateState(database, mandateId)),
  activity(sealMandatePdf, async ({ mandateId }) => ({ documentKey: await sealPdf(mandateId) })),
  activity(requestMandateActivation, async ({ mandateId, documentKey }) => {
    await requestActivation(database, mandateId, documentKey);
    return null;
  }),
  activity(settleMandateActivation, async ({ mandateId, as }) => {
    await settlements[as](database, mandateId);
    return null;
  }),
  activity(requestMandateRevocation, async ({ mandateId, seen }) => {
    await requestRevocation(database, mandateId, seen);
    return null;
  }),
  activity(settleMandateRevocation, async ({ mandateId }) => {
    await disableMandate(database, mandateId);
    return null;
  }),
];
