/** How the tests run: files in parallel, one embedded PostgreSQL for all of them. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    reporters: ["default", "./test/support/skipped-tests.ts"],
    pool: "forks",
    // One more than the two cores that they must do with: the tests wait more than they compute.
    maxWorkers: 3,
    // Tests wait for states, however long a busy machine takes: these only end what never comes.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 45_000 } },
  },
});
