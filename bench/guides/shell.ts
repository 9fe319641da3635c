/** The terminal of a guide's reader: one bash, to which one block after the other is given. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  /** Null: it was ended for taking too long. */
  readonly exitCode: number | null;
}

export interface Shell {
  /** Runs a block to its end; after one that did not exit with 0 the shell is gone. */
  run(code: string): Promise<Ran>;
  /** Ends it and whatever its blocks have left running: asked first, and killed where that is not enough. */
  end(): Promise<void>;
}

const blockPatienceMs = 60_000;
const endPatienceMs = 20_000;

/**
 * Whoever opened the shell may be killed outright: then everything in it is told to stop. No child of the
 * shell itself, whose `wait` would wait for it.
 */
const watcher =
  '( (while kill -0 "$PPID" 2>/dev/null; do sleep 1; done; kill -TERM 0) </dev/null 3>&- & )';

/** Starts bash in the folder; `environment` is all that it has. */
export const openShell = async (
  folder: string,
  environment: Readonly<Record<string, string>>,
  patienceMs = blockPatienceMs,
): Promise<Shell> => {
  const notes = join(folder, ".blocks");
  await mkdir(notes, { recursive: true });
  // A group of its own: what a block starts in the background ends with it.
  const child = spawn("bash", ["--noprofile", "--norc"], {
    ...{ cwd: folder, env: environment, detached: true },
    stdio: ["pipe", "ignore", "ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  const { stdin } = child;
  const [, , , answers, lifeline] = child.stdio;
  if (stdin === null || !(answers instanceof Readable) || !(lifeline instanceof Readable))
    throw new Error("bash has no pipes.");
  // Everything in the shell holds the other end of this one: it closes when the last of it has ended.
  const allEnded = once(lifeline.resume(), "close");
  stdin.on("error", () => undefined); // it has ended, which is told by its code
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(-(child.pid ?? 0), name);
    } catch {
      // Nothing of it is left.
    }
  };
  const killGroup = (): void => signal("SIGKILL");
  process.once("exit", killGroup);
  const done = createInterface({ input: answers });
  stdin.write(`${watcher}\nset -e -o pipefail\n`);
  let count = 0;
  return {
    run: async (code) => {
      count += 1;
      const place = join(notes, String(count));
      await writeFile(`${place}.sh`, `${code}\n`);
      const finished = once(done, "line").then(() => true);
      const ended = exited.then(() => false);
      stdin.write(`. "${place}.sh" >"${place}.out" 2>"${place}.err" </dev/null 3>&-\necho >&3\n`);
      const timer = setTimeout(killGroup, patienceMs);
      const isFine = await Promise.race([finished, ended]);
      clearTimeout(timer);
      const [stdout, stderr] = await Promise.all(
        ["out", "err"].map((end) => readFile(`${place}.${end}`, "utf8").catch(() => "")),
      );
      return { stdout: stdout ?? "", stderr: stderr ?? "", exitCode: isFine ? 0 : child.exitCode };
    },
    end: async () => {
      signal("SIGTERM");
      await Promise.race([allEnded, sleep(endPatienceMs, undefined, { ref: false })]);
      killGroup();
      process.off("exit", killGroup);
    },
  };
};
