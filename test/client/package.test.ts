/** The packed client in an empty project: its README's programs run, and its types are as its routes say. */
import { spawnSync } from "node:child_process";
import { access, cp, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { partnerConnectionString } from "../../bench/platform/topic-reader.js";
import { send } from "../support/platform/api.js";
import { table } from "../support/client/lines.js";
import {
  leftOver,
  lend,
  packedProject,
  readmeExamples,
  runProgram,
  type PartnerProject,
} from "../support/client/package.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";

let stack: TestStack;
let project: PartnerProject;

beforeAll(async () => {
  [stack, project] = await Promise.all([startTestStack(), packedProject()]);
});

afterAll(async () => {
  await Promise.all([stack.stop(), project.remove()]);
});

/** The same program, where the test's platform listens. */
const here = (code: string): string =>
  code
    .replaceAll("http://127.0.0.1:7071", stack.url)
    .replaceAll(
      "Endpoint=sb://127.0.0.1:5672;SharedAccessKeyName=acme;SharedAccessKey=acme-local-key;UseDevelopmentEmulator=true;",
      partnerConnectionString(stack.brokerConnectionString, "acme"),
    );

test("the README's calls run with nothing installed but the package, twice", async () => {
  const [calls = ""] = await readmeExamples(project);
  const first = await runProgram(project, "calls.mjs", here(calls));
  expect(first.output).toMatch(/^Wallet [\w-]{36} is Active\nMario Rossi Active\n$/);
  expect(first.code).toBe(0);
  const second = await runProgram(project, "calls.mjs", here(calls));
  expect(second).toEqual({ output: "Mario has a wallet already\nMario Rossi Active\n", code: 0 });
});

test("the README's reader prints the wallet's event and ends by Ctrl-C, having completed it", async () => {
  await lend(project, "@azure/service-bus");
  const [, events = ""] = await readmeExamples(project);
  const seen = (output: string): boolean => output.includes("\n");
  const first = await runProgram(project, "events.mjs", here(events), seen);
  expect(first).toEqual({ output: "1: Mario has a wallet\n", code: 0 });
});

test("what is packed is made of the sources at that moment, whatever was built before", async () => {
  const installed = join(project.folder, "node_modules/@borsello/client/dist");
  const Made = z.object({ routes: z.unknown() });
  const { routes } = Made.parse(await import(pathToFileURL(join(installed, "routes.js")).href));
  expect(routes).toEqual(table);
  await expect(access(join(installed, leftOver))).rejects.toThrow("ENOENT");
});

test("a checkout without its modules says what to run before packing", async () => {
  const checkout = await mkdtemp(join(tmpdir(), "borsello-checkout-"));
  try {
    await cp("scripts/build-client.mjs", join(checkout, "scripts/build-client.mjs"));
    const { status, stderr } = spawnSync(process.execPath, ["scripts/build-client.mjs"], {
      cwd: checkout,
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "The client is made of the platform's routes: run `npm ci` in its checkout first.\n",
    });
  } finally {
    await rm(checkout, { recursive: true, force: true });
  }
});

test("the package holds its version, its licence and nothing of the app", async () => {
  const installed = join(project.folder, "node_modules/@borsello/client");
  const Package = z.looseObject({ version: z.string() });
  const own = Package.parse(JSON.parse(await readFile(join(installed, "package.json"), "utf8")));
  const root = Package.parse(JSON.parse(await readFile("package.json", "utf8")));
  expect(own.version).toBe(root.version);
  expect(own).not.toHaveProperty("dependencies");
  expect(await readFile(join(installed, "LICENSE"), "utf8")).toBe(
    await readFile("LICENSE", "utf8"),
  );
});

const apis = ["wallet", "card", "ticketing", "sandbox"] as const;
const typed = ["package.ts", "events.ts", "documents.ts"];

/**
 * One program for all, since each of its files costs more to load than to check; what is checked is the
 * project's own files with the package's declarations, and not the language's or others'.
 */
const faultsIn = (folder: string, files: readonly string[]): string[] => {
  const program = ts.createProgram(
    files.map((file) => join(folder, file)),
    {
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      target: ts.ScriptTarget.ES2022,
      lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.asynciterable.d.ts"],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: [],
    },
  );
  return program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(folder))
    .flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ])
    .map(({ file, start = 0, messageText }) => {
      const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
      return `${file?.fileName ?? ""}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
};

test("the package's types and those made of each document compile, and a wrong status, code or field does not", async () => {
  await lend(project, "@azure/service-bus");
  for (const api of apis) {
    const served = await send(stack, `/openapi/${api}.json`);
    const nodes = await openapiTS(JSON.stringify(served.body), { silent: true });
    await writeFile(join(project.folder, `${api}.ts`), astToString(nodes));
  }
  for (const file of typed)
    await writeFile(
      join(project.folder, file),
      await readFile(resolve("test/client/typed", file), "utf8"),
    );
  expect(faultsIn(await realpath(project.folder), typed)).toEqual([]);
});
