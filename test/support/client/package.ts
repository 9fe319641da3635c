/** The client as partners install it: packed, and unpacked into a project that has nothing of this repository. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface PartnerProject {
  readonly folder: string;
  remove(): Promise<void>;
}

/** A file that an earlier build has left in the package's dist. */
export const leftOver = "left-over.js";

/** The one tarball that `npm pack` leaves, unpacked as npm would install it. */
export const packedProject = async (): Promise<PartnerProject> => {
  const folder = await mkdtemp(join(tmpdir(), "borsello-client-"));
  await mkdir("client/dist", { recursive: true });
  await writeFile(join("client/dist", leftOver), "");
  const packed = await run("npm", ["pack", "./client", "--json", "--pack-destination", folder]);
  const tarball = /"filename": "([^"]+)"/.exec(packed.stdout)?.[1] ?? "";
  const installed = join(folder, "node_modules/@borsello/client");
  await mkdir(installed, { recursive: true });
  await run("tar", ["-xzf", join(folder, tarball), "--strip-components=1", "-C", installed]);
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
};

/** Gives the project a package of this repository's, in place of installing it from the network. */
export const lend = async ({ folder }: PartnerProject, name: string): Promise<void> => {
  const place = join(folder, "node_modules", name);
  await mkdir(resolve(place, ".."), { recursive: true });
  await symlink(resolve("node_modules", name), place).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  });
};

/** The JavaScript blocks of the package's own README, word by word. */
export const readmeExamples = async ({ folder }: PartnerProject): Promise<readonly string[]> => {
  const text = await readFile(join(folder, "node_modules/@borsello/client/README.md"), "utf8");
  return [...text.matchAll(/^```js\n([^]*?)^```$/gm)].flatMap(([, code]) => code ?? []);
};

export interface Run {
  readonly output: string;
  readonly code: number | null;
}

/** Runs a program under plain node in the project; `isEnough` says when it is to be interrupted, as by Ctrl-C. */
export const runProgram = async (
  { folder }: PartnerProject,
  name: string,
  code: string,
  isEnough: (output: string) => boolean = () => false,
): Promise<Run> => {
  await writeFile(join(folder, name), code);
  const child = spawn(process.execPath, [name], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output += chunk.toString();
    if (isEnough(output)) child.kill("SIGINT");
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  await once(child, "close");
  return { output, code: child.exitCode };
};
