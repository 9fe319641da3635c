// Builds client/dist, what the package @borsello/client holds: its kernel, compiled, and beside it what is
// made of the app's routes and events. Reads the built app, which it builds where there is none.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname, "..");
const built = join(root, "dist/client/generate/main.js");

const run = (...command) => {
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
};

if (!existsSync(built)) run("scripts/build.mjs");
await rm(join(root, "client/dist"), { recursive: true, force: true });
run("node_modules/typescript/bin/tsc", "--project", "client/tsconfig.json");
const { generate } = await import(pathToFileURL(built).href);
await generate(join(root, "client/dist"));
await copyFile(join(root, "LICENSE"), join(root, "client/LICENSE"));
