/** What the machine knows of a process: whether it lives, when it began, where it works. */
import { execFile } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { promisify } from "node:util";
import { errorCode } from "../start-error.js";

const run = promisify(execFile);

const askPs = async (pid: number, column: string): Promise<string | undefined> =>
  run("ps", ["-o", `${column}=`, "-p", String(pid)]).then(
    ({ stdout }) => stdout.trim() || undefined,
    () => undefined,
  );

/** True while the process exists, as another user's too. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
};

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
    return undefined;
  }
};

/** Does this process serve the PostgreSQL data directory? A server's working directory is its data. */
export const servesDirectory = async (pid: number, directory: string): Promise<boolean> =>
  process.platform === "linux"
    ? (await readlink(`/proc/${pid}/cwd`).catch(() => undefined)) === directory
    : ((await askPs(pid, "command"))?.includes(`-D ${directory}`) ?? false);
