/** Every ten minutes: clears away what uploads left behind that a crash or an outage ended. */
import { app } from "@azure/functions";
import { giveUpUpload, giveUpUploads } from "../../shared/database/ticketing/attachment-uploads.js";
import { discardUpload } from "../ticketing/attachment-upload.js";
import { treatEach } from "./sweep.js";
import type { Services } from "../kit/services.js";

/** Longer than any function may run, so that whoever began the upload is gone. */
const minutesMax = 60;
const uploadsPerSweep = 100;

/** The number of uploads cleared away; one that fails comes after all others, and is told of at the end. */
export const sweepUploads = async (
  { database, documents }: Pick<Services, "database" | "documents">,
  minutes = minutesMax,
): Promise<number> => {
  const uploads = await giveUpUploads(database, minutes, uploadsPerSweep);
  await treatEach(uploads, async (upload) => {
    // Anew: it comes after those that are not come to.
    await giveUpUpload(database, upload.uploadId);
    await discardUpload({ database, documents }, upload);
  });
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
