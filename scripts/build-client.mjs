// Builds client/dist, what the package @borsello/client holds: its kernel, compiled, and beside it what is made of
// the routes and events as they are in the sources now. npm runs it before each packing (`prepack`), so that
// nothing is packed that was built earlier.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname, "..");
const compiler = join(root, "node_modules/typescript/bin/tsc");
const generator = join(root, "node_modules/.cache/borsello-client/generate.mjs");
const target = join(root, "client/dist");

if (!existsSync(compiler)) {
  console.error("The client is made of the platform's routes: run `npm ci` in its checkout first.");
  process.exit(1);
}

await rm(target, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [compiler, "--project", "client/tsconfig.json"], {
  cwd: root,
  stdio: "inherit",
});
if (status !== 0) process.exit(status ?? 1);

// Not the app in dist/, which may be older than the sources.
const { build } = await import("esbuild");
await build({
  absWorkingDir: root,
  entryPoints: ["client/generate/main.ts"],
  outfile: generator,
  bundle: true,
  packages: "external",
  platform: "node",
  target: "node20",
  format: "esm",
  logLevel: "warning",
});
const { generate } = await import(pathToFileURL(generator).href);
const { version } = JSON.parse(await readFile(join(root, "client/package.json"), "utf8"));
await generate(target, version);
await copyFile(join(root, "LICENSE"), join(root, "client/LICENSE"));
