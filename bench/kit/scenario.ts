/** What a bench scenario is, and how its figures are written down. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Machine } from "./machine.js";

export interface Row {
  readonly what: string;
  readonly figure: string;
  /** The goal and where it stands (performance goals by their number), or what the row is beside. */
  readonly beside: string;
}

export interface RunOptions {
  /** To see that all works: fewer and shorter slots, smaller sizes. Nothing is written down. */
  readonly quick: boolean;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** How it is measured, in a sentence or two. */
  readonly method: string;
  run(say: (line: string) => void, options: RunOptions): Promise<readonly Row[]>;
}

/** The same rows, each with the other build's figure of the same name. */
export const withFormer = (rows: readonly Row[], former: readonly Row[], commit: string): Row[] =>
  rows.map((row) => {
    const before = former.find(({ what }) => what === row.what);
    if (before === undefined) return row;
    return {
      ...row,
      beside: `${row.beside}; commit ${commit}: ${before.figure}`,
    };
  });

const markdown = (scenario: Scenario, machine: Machine, rows: readonly Row[]): string =>
  [
    `# ${scenario.title}`,
    "",
    scenario.method,
    "",
    `Measured ${machine.measuredAt} at commit ${machine.commit}: ${machine.cores} cores (${machine.processor}), ` +
      `${machine.memoryGiB} GiB, ${machine.system}, Node ${machine.node}.`,
    "",
    "| what | figure | beside |",
    "| --- | --- | --- |",
    ...rows.map(({ what, figure, beside }) => `| ${what} | ${figure} | ${beside} |`),
    "",
  ].join("\n");

/** Writes bench/results/<name>.md; returns the file's path. */
export const writeResult = async (
  scenario: Scenario,
  machine: Machine,
  rows: readonly Row[],
): Promise<string> => {
  const folder = join("bench", "results");
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${scenario.name}.md`);
  await writeFile(file, markdown(scenario, machine, rows));
  return file;
};
