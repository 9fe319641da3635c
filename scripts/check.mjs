// What judges the sources without running them: types and lint rules in this process, from one reading of
// all files, and the format beside them. All are heard before any ends the check. Most of what they make is
// short-lived: with the room for it that package.json gives them, a tenth of their time less goes to the collector.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { ESLint } from "eslint";
import ts from "typescript";

const formatted = async () => {
  const child = spawn("npm", ["run", "-s", "format:check"], { stdio: ["ignore", "pipe", "pipe"] });
  const [[code], ...outputs] = await Promise.all([
    once(child, "close"),
    buffer(child.stdout),
    buffer(child.stderr),
  ]);
  process.stdout.write(Buffer.concat(outputs));
  return code === 0;
};

/** The scripts of the documentation's pages run in browsers: what is known there is another. */
const projects = ["tsconfig.json", "functions/docs/browser/tsconfig.json"];

const readProgram = (project) => {
  const fail = ({ messageText }) => {
    throw new Error(ts.flattenDiagnosticMessageText(messageText, ts.sys.newLine));
  };
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail };
  const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(project, {}, host);
  // Lint rules go from a node to its parents.
  return ts.createProgram(fileNames, options, ts.createCompilerHost(options, true));
};

const programs = projects.map(readProgram);

const linted = async () => {
  const languageOptions = { parserOptions: { projectService: false, programs } };
  const eslint = new ESLint({ overrideConfig: [{ files: ["**/*.ts"], languageOptions }] });
  const results = await eslint.lintFiles(["."]);
  const { format } = await eslint.loadFormatter();
  process.stdout.write(await format(results));
  return results.every(({ errorCount, fatalErrorCount }) => errorCount + fatalErrorCount === 0);
};

const typed = () => {
  const found = programs.flatMap((program) => [...ts.getPreEmitDiagnostics(program)]);
  process.stdout.write(
    ts.formatDiagnosticsWithColorAndContext(found, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: ts.sys.getCurrentDirectory,
      getNewLine: () => ts.sys.newLine,
    }),
  );
  return found.length === 0;
};

const format = formatted();
const verdicts = [typed(), await linted(), await format];
if (verdicts.includes(false)) process.exitCode = 1;
