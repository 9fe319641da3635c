/** What a figure was measured on: machine, versions, commit. */
import { execFileSync } from "node:child_process";
import { cpus, release, totalmem, type } from "node:os";

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly commit: string;
  readonly measuredAt: string;
}

const git = (...args: string[]): string => {
  try {
    return execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return "";
  }
};

/** The commit that a checkout's folder is at. */
export const commitOf = (folder: string): string =>
  git("-C", folder, "rev-parse", "--short=10", "HEAD").trim();

export const describeMachine = (): Machine => {
  const commit = commitOf(".");
  const changed = git(
    "status",
    "--porcelain",
    "--",
    "functions",
    "orchestrations",
    "shared",
    "local",
  ).trim().length;
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    // The kernel's version; what follows it names a build, not a speed.
    system: `${type()} ${release().split("-", 1).join()}`,
    node: process.version,
    commit: commit === "" ? "no commit" : changed > 0 ? `${commit} with changes` : commit,
    measuredAt: new Date().toISOString(),
  };
};
