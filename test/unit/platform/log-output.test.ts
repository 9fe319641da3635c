/** The log's way out: few writes, no line lost or overtaken by the end of the process. */
import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const built = pathToFileURL("dist/shared/platform/log-output.js").href;

const outputOf = (work: string) => {
  const script = `import { gatheredLines } from "${built}";
    let writes = 0;
    const log = (text) => { writes += 1; console.log(text); };
    const write = gatheredLines({ log, error: console.error });
    ${work}`;
  const program = ["--input-type=module", "-e", script];
  return spawnSync(process.execPath, program, { encoding: "utf8" });
};

test.each([
  ["an exception that nobody handles", 'throw new Error("away");', 1],
  ["an exit", "process.exit(3);", 3],
])("%s loses no line, and none written before it", (_what, end, status) => {
  const ended = outputOf(
    `write("info", "1"); write("warn", "2"); write("info", "3"); write("error", "4"); write("info", "5"); ${end}`,
  );
  expect(ended.stdout).toBe("1\n2\n3\n5\n");
  expect(ended.stderr).toMatch(/^4\n/);
  expect(ended.status).toBe(status);
});

test("the lines of one turn leave together, in their order, and many of them before it ends", () => {
  const { stdout } = outputOf(`
    for (let line = 0; line < 1_000; line += 1) write("info", "x".repeat(99) + line);
    const early = writes;
    setTimeout(() => console.log([early, writes].join()), 10);`);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.pop()).toBe("1,2");
  expect(lines).toEqual(Array.from({ length: 1_000 }, (_, line) => `${"x".repeat(99)}${line}`));
});
