/** What the section durableTask of host.json means to the durable engine. */
import type { EngineSettings } from "../durable/settings.js";
import type { DurableConfig } from "./settings/host-json.js";

/** What host.json does not say keeps the engine's own default. */
export const engineSettings = (config: DurableConfig): EngineSettings => {
  const { maxConcurrentActivityFunctions, maxEntityOperationBatchSize, extendedSessionsEnabled } =
    config;
  return {
    ...(maxConcurrentActivityFunctions !== undefined && {
      concurrentActivities: maxConcurrentActivityFunctions,
    }),
    ...(maxEntityOperationBatchSize !== undefined && {
      entityBatchMax: maxEntityOperationBatchSize,
    }),
    ...(extendedSessionsEnabled !== undefined && { keepSessions: extendedSessionsEnabled }),
    replacesRunning: config.overridableExistingInstanceStates === "AnyState",
    concurrentOrchestrators: config.maxConcurrentOrchestratorFunctions,
    concurrentEntities: config.maxConcurrentEntityFunctions,
    versions: {
      defaultVersion: config.defaultVersion,
      match: config.versionMatchStrategy,
      failure: config.versionFailureStrategy,
    },
  };
};
