/** The packed client in an empty project: its README's programs run, and its types are as its routes say. */
import { readFile, realpath, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { partnerConnectionString } from "../../bench/platform/topic-reader.js";
import { send } from "../support/platform/api.js";
import {
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
