/** Every ten minutes: clears away what uploads left behind that a crash or an outage ended. */
import { app } from "@azure/functions";
import { giveUpUploads } from "../../shared/database/ticketing/attachment-uploads.js";
import { discardUpload } from "../ticketing/attachment-upload.js";
import type { Services } from "../kit/services.js";

/** Longer than any function may run, so that whoever began the upload is gone. */
const minutesMax = 60;
const uploadsPerSweep = 100;

/** The number of uploads cleared away; one that fails is left to the next sweep. */
export const sweepUploads = async (
  { database, documents }: Pick<Services, "database" | "documents">,
  minutes = minutesMax,
): Promise<number> => {
  const uploads = await giveUpUploads(database, minutes, uploadsPerSweep);
  for (const upload of uploads) await discardUpload({ database, documents }, upload);
  return uploads.length;
};

export const registerAttachmentSweep = (services: Services): void => {
  app.timer("attachmentSweep", {
    schedule: "0 */10 * * * *",
    handler: async () => {
      const uploads = await sweepUploads(services);
      if (uploads > 0) services.logger.warn("Broken uploads were cleared away.", { uploads });
    },
  });
};
