/** Forgets what only told of the past and is older than its setting: every hour by pieces, flows every night. */
import { app, type Timer } from "@azure/functions";
import * as df from "durable-functions";
import { forgetAudit } from "../../shared/database/accounting/forget-audit.js";
import { forgetSent } from "../../shared/database/outbox/forget-sent.js";
import { forgetReplays } from "../../shared/database/outbox/replays.js";
import { forgetHandled } from "../../shared/database/platform/inbox.js";
import { forgetRuns } from "../../shared/database/settlement/runs.js";
import { purgeCompleted } from "../../shared/durable/flow-client.js";
import type { Retention } from "../../shared/platform/settings/retention-settings.js";
import type { Services } from "../kit/services.js";
import { untilNone } from "./pieces.js";

type Means = Pick<Services, "database">;

/** Each piece is a transaction of its own: short, so that it holds up nobody. */
const perPiece = 2_000;
/** What is left after so long is the next hour's. */
const boundMs = 300_000;

export interface Forgotten {
  readonly events: number;
  readonly handled: number;
  readonly runs: number;
  readonly audits: number;
}

/** `mayGoOn` is asked before each piece. */
export const forgetPast = async (
  { database }: Means,
  { eventDays, runDays, auditDays }: Retention,
  mayGoOn: () => boolean,
): Promise<Forgotten> => {
  let events = 0;
  for (let after: bigint | null = 0n; after !== null && mayGoOn();) {
    const page = await forgetSent(database, after, eventDays, perPiece);
    events += page.forgotten;
    after = page.lastId;
  }
  await untilNone(() => forgetReplays(database, eventDays, perPiece), mayGoOn);
  const handled = await untilNone(() => forgetHandled(database, eventDays, perPiece), mayGoOn);
  const runs = await untilNone(() => forgetRuns(database, runDays, perPiece), mayGoOn);
  const audits =
    auditDays === null
      ? 0
      : await untilNone(() => forgetAudit(database, auditDays, perPiece), mayGoOn);
  return { events, handled, runs, audits };
};

const dayMs = 86_400_000;

export const registerRetention = (services: Services): void => {
  let isStopped = false;
  app.timer("retention", {
    schedule: "0 25 * * * *",
    handler: async () => {
      const endsAt = performance.now() + boundMs;
      const mayGoOn = (): boolean => !isStopped && performance.now() < endsAt;
      const forgotten = await forgetPast(services, services.config.retention, mayGoOn);
      if (forgotten.audits > 0)
        services.logger.info("Old audit rows were forgotten.", { ...forgotten });
    },
  });
  // What is left where this is cut short is the next night's.
  df.app.client.timer("flowPurge", {
    schedule: "0 40 3 * * *",
    handler: async (_timer: Timer, client: df.DurableClient) => {
      const { runDays } = services.config.retention;
      await purgeCompleted(client, new Date(services.clock.nowMs() - runDays * dayMs));
    },
  });
  app.hook.appTerminate(() => {
    isStopped = true;
  });
};
