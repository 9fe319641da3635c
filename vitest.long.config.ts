/** The tests that take minutes: the same properties as in the default run, with far more repetitions. */
import { defineConfig, mergeConfig } from "vitest/config";
import config from "./vitest.config.js";

export default mergeConfig(
  { ...config, test: { ...config.test, include: [] } },
  defineConfig({ test: { include: ["test/**/*.long.ts"], testTimeout: 900_000 } }),
);
