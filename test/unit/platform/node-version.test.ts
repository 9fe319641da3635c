/** Whoever has an old Node is told so at once, by every command, in one sentence. */
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";

const scripts = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(await readFile("package.json", "utf8"))).scripts;

/** What Node says that believes to be of this version. */
const toldBy = (version: string) => {
  const pretend = `Object.defineProperty(process.versions, "node", { value: "${version}" });`;
  const check = `${pretend} require("./scripts/node-version.cjs"); console.log("goes on");`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", check], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
};

test.each(["4.9.1", "18.20.4"])("Node %s is too old", (version) => {
  const { status, stdout, stderr } = toldBy(version);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(
    /^Borsello needs Node\.js 20 or newer, and this is [\d.]+: install .*\.\n$/,
  );
  expect(stderr).toContain(version);
});

test.each(["20.0.0"])("Node %s goes on", (version) => {
  expect(toldBy(version)).toEqual({ status: 0, stdout: "goes on\n", stderr: "" });
});

test("the check is ahead of the build, and the build ahead of every other command that needs it", () => {
  expect(scripts["build"]).toMatch(/^node -r \.\/scripts\/node-version\.cjs /);
  for (const name of [
    "start",
    "host",
    "start:func",
    "demo",
    "partner",
    "bench",
    "check",
    "test:long",
  ])
    expect(scripts[name], name).toMatch(/^npm run -s build && /);
  expect(scripts["test"]).toMatch(/^npm run -s check && /);
});
