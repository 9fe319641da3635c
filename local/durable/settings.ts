/** What can be set of the engine, and what holds where nothing is. */
import type { VersionSettings } from "./protocol/versions.js";

export interface EngineSettings {
  /** Activities that run at the same time. */
  readonly concurrentActivities?: number;
  /** Orchestrators, and entities, that run at the same time; absent: as many as there are. */
  readonly concurrentOrchestrators?: number | undefined;
  readonly concurrentEntities?: number | undefined;
  /** Operations in one batch of an entity. */
  readonly entityBatchMax?: number;
  readonly versions?: VersionSettings;
  /** Instances that stay in memory though they have nothing to do. */
  readonly idleInstances?: number;
  /** True has a start end whatever runs under its id; otherwise it is refused. */
  readonly replacesRunning?: boolean;
  /** False has an orchestrator's code replayed from the beginning on every turn. */
  readonly keepSessions?: boolean;
  /** Finished instances older than this are removed; 0 keeps them for ever. */
  readonly keepFinishedMs?: number;
  /** How often to look for hosts that died and for messages that nobody told us of. */
  readonly sweepMs?: number;
}

export const defaults = {
  concurrentActivities: 100,
  // The library takes so long per operation that larger batches gain nothing.
  entityBatchMax: 200,
  versions: { match: "CurrentOrOlder", failure: "Reject" },
  idleInstances: 1_000,
  replacesRunning: false,
  keepSessions: true,
  keepFinishedMs: 30 * 24 * 3_600_000,
  sweepMs: 2_000,
} satisfies EngineSettings;
