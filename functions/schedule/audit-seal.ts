/** Seals what was audited and posted ten seconds after it was, so that no proof has much to catch up with. */
import { app } from "@azure/functions";
import { sealAudit, type Horizon } from "../../shared/database/accounting/seal.js";
import type { Services } from "../kit/services.js";

/** A transaction that is under way for longer is waited for by the next run. */
const limits = { patienceMs: 2_000, linksMax: 1_000 } as const;
const soonMs = 10_000;

type Means = Pick<Services, "database" | "note">;

export interface AuditSealing {
  seal(): Promise<void>;
  stop(): void;
}

/** Woken by work: a platform that does nothing sleeps. `afterMs`: so long after the first commit. */
export const sealAfterCommits = ({ database, note }: Means, afterMs = soonMs): AuditSealing => {
  let pending: Horizon | undefined;
  let soon: NodeJS.Timeout | undefined;
  let isStopped = false;
  const seal = async (): Promise<void> => {
    clearTimeout(soon);
    soon = undefined;
    pending = await sealAudit(database, { ...limits, pending });
    if (pending !== undefined) wake();
  };
  const sealOrNote = (): Promise<void> =>
    seal().catch((error: unknown) => {
      if (!isStopped) note("Sealing the audit", error);
    });
  const wake = (): void => {
    if (isStopped) return;
    soon ??= setTimeout(() => void sealOrNote(), afterMs).unref();
  };
  database.onCommit(wake);
  return {
    seal,
    stop: () => {
      isStopped = true;
      clearTimeout(soon);
    },
  };
};

/** The minute's timer seals what an instance left behind that ended, or fell asleep, before it could. */
export const registerAuditSeal = (services: Services): void => {
  const sealing = sealAfterCommits(services);
  app.timer("auditSeal", { schedule: "50 * * * * *", handler: () => sealing.seal() });
  app.hook.appTerminate(() => sealing.stop());
};
