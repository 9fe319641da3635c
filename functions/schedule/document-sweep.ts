/** Every ten minutes: removes the documents of wallets that were deleted for good, wherever they lie. */
import { app } from "@azure/functions";
import {
  doomedDocuments,
  doomLater,
  forgetDoomed,
} from "../../shared/database/documents/doomed.js";
import type { Services } from "../kit/services.js";
import { treatEach } from "./sweep.js";

/** Longer than any function may run: a signature that was under way can have stored its PDF late. */
const minutesMin = 15;
const documentsPerSweep = 100;

/** The number of documents removed; one that fails comes after all others, and is told of at the end. */
export const sweepDocuments = async (
  { database, documents }: Pick<Services, "database" | "documents">,
  minutes = minutesMin,
): Promise<number> => {
  const doomed = await doomedDocuments(database, minutes, documentsPerSweep);
  await treatEach(doomed, async (documentKey) => {
    await doomLater(database, documentKey);
    await documents.remove(documentKey);
    await forgetDoomed(database, documentKey);
  });
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
