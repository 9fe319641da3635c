/** What the machine knows of a process: when it began, and how it was called. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

const askPs = async (pid: number, column: string): Promise<string | undefined> =>
  run("ps", ["-o", `${column}=`, "-p", String(pid)]).then(
    ({ stdout }) => (stdout.trim() === "" ? undefined : stdout.trim()),
    () => undefined,
  );

/**
 * A text that no later process with the same id shares: boot and start time. Undefined when there
 * is no such process, or it has ended and only waits to be collected by its parent.
 */
export const birthMark = async (pid: number): Promise<string | undefined> => {
  if (process.platform !== "linux") return askPs(pid, "lstart");
  try {
    const [boot, stat] = await Promise.all([
      readFile("/proc/sys/kernel/random/boot_id", "utf8"),
      readFile(`/proc/${pid}/stat`, "utf8"),
    ]);
    // The name in parentheses may hold anything; the fields after it are plain.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? undefined : `${boot.trim()} ${fields[18] ?? ""}`;
  } catch {
    // No such process, or one that ends in this moment.
    return undefined;
  }
};

/** The command line of a process, its arguments separated by spaces. */
export const commandLine = async (pid: number): Promise<string | undefined> =>
  process.platform === "linux"
    ? readFile(`/proc/${pid}/cmdline`, "utf8").then(
        (text) => text.replaceAll("\0", " "),
        () => undefined,
      )
    : askPs(pid, "command");
