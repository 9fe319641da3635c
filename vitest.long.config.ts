/** The long tests, `npm run test:long`: same support, more rounds, one file at a time. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/long/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 60_000,
  },
});
