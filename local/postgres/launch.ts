/** One PostgreSQL process: started, watched, ready, ended. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Cluster } from "./cluster.js";
import { startWatcher } from "./watcher.js";

export interface ServerProcess {
  readonly pid: number;
  /** Settles with its last words when the process has ended, whoever ended it. */
  readonly exited: Promise<string>;
  shutDown(): Promise<void>;
}

export interface LaunchOptions {
  readonly onSpawned?: () => void;
  readonly log?: (line: string) => void;
}

export interface LaunchRefused {
  readonly complaint: string;
}

const shutDownPatienceMs = 20_000;
const keptLines = 10;

/** Fast shutdown: sessions are ended, everything is written; if that hangs, recovery does it next time. */
const shutDown = async (child: ChildProcess, exited: Promise<unknown>): Promise<void> => {
  child.kill("SIGINT");
  const impatience = setTimeout(() => child.kill("SIGQUIT"), shutDownPatienceMs);
  await exited;
  clearTimeout(impatience);
};

/** Hands every line of the server's log to `onLine`. */
const readLog = (child: ChildProcess, onLine: (line: string) => void): void => {
  let rest = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(onLine);
  });
};

/** Starts the server process; resolves when it accepts connections, or with its complaint. */
export const launch = async (
  { account, binaries, directory }: Cluster,
  settings: Readonly<Record<string, string>>,
  { onSpawned, log }: LaunchOptions,
): Promise<ServerProcess | LaunchRefused> => {
  const watcher = startWatcher();
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = account.spawn(binaries.postgres, ["-D", directory, ...options], {
    cwd: "/",
    // A session of its own: Ctrl-C at the terminal reaches us, and we stop it in the right order.
    detached: true,
    env: { ...process.env, ...binaries.environment, LC_ALL: "C" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (child.pid !== undefined) watcher.watch(child.pid);
  onSpawned?.();
  const lastLines: string[] = [];
  const exited = once(child, "close")
    .then(
      () => lastLines.join("\n"),
      (error: unknown) => String(error),
    )
    .finally(() => watcher.dismiss());
  const ready = new Promise<undefined>((resolve) => {
    readLog(child, (line) => {
      lastLines.push(line);
      lastLines.splice(0, lastLines.length - keptLines);
      log?.(line);
      if (line.includes("ready to accept connections")) resolve(undefined);
    });
  });
  const complaint = await Promise.race([ready, exited]);
  return complaint === undefined && child.pid !== undefined
    ? { pid: child.pid, exited, shutDown: () => shutDown(child, exited) }
    : { complaint: complaint ?? "it has no process id" };
};
