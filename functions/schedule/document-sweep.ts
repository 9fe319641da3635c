/** Every ten minutes: removes the documents of wallets that were deleted for good, wherever they lie. */
import { app } from "@azure/functions";
import { doomedDocuments, forgetDoomed } from "../../shared/database/documents/doomed.js";
import type { Services } from "../kit/services.js";

/** Longer than any function may run: a signature that was under way can have stored its PDF late. */
const minutesMin = 15;
const documentsPerSweep = 100;

/** The number of documents removed; one that fails is left to the next sweep, with those after it. */
export const sweepDocuments = async (
  { database, documents }: Pick<Services, "database" | "documents">,
  minutes = minutesMin,
): Promise<number> => {
  const doomed = await doomedDocuments(database, minutes, documentsPerSweep);
  for (const documentKey of doomed) {
    await documents.remove(documentKey);
    await forgetDoomed(database, documentKey);
  }
  return doomed.length;
};

export const registerDocumentSweep = (services: Services): void => {
  app.timer("documentSweep", {
    schedule: "0 */10 * * * *",
    handler: async () => {
      await sweepDocuments(services);
    },
  });
};
