/** How the tests run: files in parallel, one embedded PostgreSQL for all of them. */
import { dirname, join, relative, resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.js";

const root = import.meta.dirname;
const tests = join(root, "test/");
const globalSetup = join(tests, "support/global-setup.ts");
const builtFolder = /^(functions|orchestrations|shared|local|bench|client)\//;

/**
 * Tests load the app as it was built, which Node does in a fraction of the time that transforming each file
 * for each worker takes. Only what builds it loads the sources.
 */
const builtApp = {
  name: "built-app",
  enforce: "pre" as const,
  resolveId(source: string, importer = ""): string | undefined {
    if (!source.startsWith(".") || !importer.startsWith(tests) || importer === globalSetup)
      return undefined;
    const place = relative(root, resolve(dirname(importer), source));
    return builtFolder.test(place) ? join(root, "dist", place) : undefined;
  },
};

export default defineConfig({
  plugins: [builtApp],
  test: {
    include: ["test/**/*.test.ts"],
    server: {
      deps: { external: [/\/dist\/(functions|orchestrations|shared|local|bench|client)\//] },
    },
    globalSetup: [globalSetup],
    reporters: ["default", "./test/support/skipped-tests.ts"],
    pool: "forks",
    sequence: { sequencer: LongestFirst },
    // A worker keeps what it has loaded for its next file: each file has databases and platforms of its own.
    isolate: false,
    // One more than the two cores that they must do with: the tests wait more than they compute.
    maxWorkers: 3,
    // Tests wait for states, however long a busy machine takes: these only end what never comes.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 45_000 } },
  },
});
