/** Every ten seconds: seals what was audited and posted since, so that no proof has much to catch up with. */
import { app } from "@azure/functions";
import { sealAudit, type Horizon } from "../../shared/database/accounting/seal.js";
import type { Services } from "../kit/services.js";

/** A transaction that is under way for longer is waited for by the next run. */
const sealing = { patienceMs: 2_000, linksMax: 1_000 } as const;

export const registerAuditSeal = ({ database }: Services): void => {
  let pending: Horizon | undefined;
  app.timer("auditSeal", {
    schedule: "*/10 * * * * *",
    handler: async () => {
      pending = await sealAudit(database, { ...sealing, pending });
    },
  });
};
