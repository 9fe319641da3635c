/** Ends the report of a run with the tests that were left out, each with its reason. */
import type { Reporter, TestModule } from "vitest/node";

/** One line a test: where it is, what it holds, and what `skip` was told. */
export const skippedTests = (modules: readonly TestModule[]): string[] =>
  modules.flatMap((module) =>
    [...module.children.allTests("skipped")].map((test) => {
      const result = test.result();
      const reason = result.state === "skipped" ? result.note : undefined;
      return `${module.relativeModuleId}: ${test.fullName} (${reason ?? "no reason given"})`;
    }),
  );

export default class SkippedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = skippedTests(modules);
    if (lines.length > 0)
      console.log(`\nLeft out:\n${lines.map((line) => `  ${line}`).join("\n")}`);
  }
}
