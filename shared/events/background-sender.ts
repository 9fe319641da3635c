/** What the relay of the outbox and the replayer of the log have in common: they send in the background. */
import type { Database } from "../database/platform/database.js";
import type { FaultPoints } from "../platform/fault-points.js";
import type { Logger } from "../platform/logger.js";
import type { ServiceBus } from "./service-bus.js";

export interface BackgroundSender {
  /** There is something to send. Calls while it sends are melted into one further round. */
  nudge(): void;
  /** Like a nudge; settles when nothing is left that could be sent now. */
  sweep(): Promise<void>;
  /** Ends after the round that is under way. */
  close(): Promise<void>;
}

export interface SenderDependencies {
  readonly database: Database;
  readonly bus: Pick<ServiceBus, "send">;
  readonly faults: FaultPoints;
  readonly logger: Logger;
}

/** Encoding them is work of one piece, which every answer of the process waits for. */
export const messagesAtOnce = 100;

export const databaseRetryMs = 1_000;
