/** What mandateActivation does: seals the mandate's PDF, asks the bank, settles by its answer. */
import { latestMandateRequest } from "../shared/database/bank/requests.js";
import type { Database } from "../shared/database/platform/database.js";
import { mandateState } from "../shared/database/mandates/flow-state.js";
import {
  activateMandate,
  lapseMandate,
  rejectMandate,
  requestActivation,
} from "../shared/database/mandates/outcomes.js";
import { findMandate, mandateDocumentKey } from "../shared/database/mandates/mandates.js";
import { requestRevocation, settleRevocations } from "../shared/database/mandates/revocation.js";
import { advanceOneStoreMandate } from "../shared/database/settlement/store-mandates.js";
import type { SettlementEnvironment } from "../shared/database/settlement/terms.js";
import { pdfContentType, type Documents } from "../shared/documents/documents.js";
import { fillMandateForm } from "../shared/documents/mandate-pdf.js";
import { activity, type Activity } from "../shared/durable/register.js";
import type { Changes } from "../shared/platform/changes.js";
import {
  advanceStoreMandate,
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

export interface MandateMeans {
  readonly database: Database;
  readonly documents: Pick<Documents, "putOnce">;
  readonly seal: (pdf: Uint8Array) => Promise<Uint8Array>;
  readonly changes: Pick<Changes, "tell">;
}

/** Seals the PDF of the present signature; resolves to where the first is kept. */
const sealPdf = async (
  { database, documents, seal }: MandateMeans,
  mandateId: string,
): Promise<string> => {
  const found = await findMandate(database, mandateId);
  if (found === undefined) throw new Error(`The mandate ${mandateId} is gone.`);
  const documentKey = mandateDocumentKey(mandateId, found.signAttempt);
  const bytes = await seal(await fillMandateForm(found));
  await documents.putOnce(documentKey, { contentType: pdfContentType, bytes });
  return documentKey;
};

export const mandateActivationActivities = (
  means: MandateMeans,
  environment: SettlementEnvironment,
): readonly Activity[] => {
  const { database, changes } = means;
  return [
    activity(readMandate, ({ mandateId }) => mandateState(database, mandateId)),
    activity(sealMandatePdf, async ({ mandateId }) => ({
      documentKey: await sealPdf(means, mandateId),
    })),
    activity(requestMandateActivation, async ({ mandateId, documentKey }) => {
      await requestActivation(database, mandateId, documentKey);
      changes.tell(mandateId);
      return null;
    }),
    activity(settleMandateActivation, async ({ mandateId, as }) => {
      await settlements[as](database, mandateId);
      return null;
    }),
    activity(advanceStoreMandate, async ({ mandateId }) => {
      await advanceOneStoreMandate(database, mandateId, environment);
      return null;
    }),
    activity(requestMandateRevocation, async ({ mandateId, seen, reference }) => {
      await requestRevocation(database, mandateId, { seen, reference });
      return null;
    }),
    activity(settleMandateRevocation, async ({ mandateId }) => {
      await settleRevocations(database, mandateId);
      return null;
    }),
  ];
};
