/** Follows a guide word by word on a running platform, and holds what it prints to what the guide shows. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Step } from "./blocks.js";
import { differences } from "./differences.js";
import { openShell, type Shell } from "./shell.js";
import { shownValues } from "./shown-values.js";

/** As guides write them: those of `npm start`. */
const written = { url: "http://127.0.0.1:7071", broker: "127.0.0.1:5672" } as const;

export interface Surroundings {
  readonly folder: string;
  readonly url: string;
  /** `host:port` */
  readonly broker: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Hears of each block that was run. */
  readonly onRan?: (step: Step, milliseconds: number) => void;
}

const shownOrUndefined = (printed: string): unknown[] | undefined => {
  try {
    return shownValues(printed);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** What is wrong with a block's run, in words; undefined: nothing. */
const runBlock = async (
  shell: Shell,
  code: string,
  prints: string | undefined,
  { url, broker }: Surroundings,
): Promise<string | undefined> => {
  const placed = code.replaceAll(written.url, url).replaceAll(written.broker, broker);
  const { exitCode, stdout, stderr } = await shell.run(placed);
  const printed = stdout.replaceAll(url, written.url).replaceAll(broker, written.broker);
  if (exitCode !== 0) return `It ended with ${exitCode}.\n${printed}${stderr}`;
  if (prints === undefined) return undefined;
  const values = shownOrUndefined(printed);
  if (values === undefined) return `It printed something else than JSON:\n${printed}`;
  const wrong = differences("", shownValues(prints), values);
  return wrong.length === 0 ? undefined : `${wrong.join("\n")}\nIt printed:\n${printed}`;
};

/** Follows the steps in order; rejects at the first that does not go as the guide says. */
export const followGuide = async (
  steps: readonly Step[],
  surroundings: Surroundings,
): Promise<void> => {
  const { folder, url, broker, environment, onRan } = surroundings;
  const shell = await openShell(folder, environment);
  try {
    for (const step of steps) {
      const { section, block } = step;
      if (block.kind === "file") {
        const code = block.code.replaceAll(written.url, url).replaceAll(written.broker, broker);
        await writeFile(join(folder, block.name), code);
        continue;
      }
      const began = performance.now();
      const wrong = await runBlock(shell, block.code, block.prints, surroundings);
      if (wrong !== undefined) throw new Error(`Under "${section}":\n${block.code}\n\n${wrong}`);
      onRan?.(step, performance.now() - began);
    }
  } finally {
    await shell.end();
  }
};
