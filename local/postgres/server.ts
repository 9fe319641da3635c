/** Runs the embedded PostgreSQL on a data folder: start, readiness, stop. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { StartError } from "../start-error.js";
import { openCluster, prepareFolder } from "./cluster.js";
import type { Cluster } from "./cluster.js";
import { lockFolder } from "./folder-lock.js";
import { endLeftover } from "./leftover.js";
import { startWatcher } from "./watcher.js";
import type { Watcher } from "./watcher.js";

export interface PostgresOptions {
  /** Everything lies below this folder: the files, the password, the lock. */
  readonly dataDirectory: string;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** Server settings that come on top of ours. */
  readonly settings?: Readonly<Record<string, string>>;
  /** False gives up safety against a crash of the machine: for data that nobody needs afterwards. */
  readonly durable?: boolean;
  readonly log?: (line: string) => void;
}

export interface PostgresServer {
  /** Connection string of the database `postgres`, password included. */
  readonly url: string;
  readonly pid: number;
  /** Settles when the server has ended, with its last words; stop() ends it too. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

// Measured for one small machine: little memory when idle, no helper that nobody uses, and the
// defaults of durability written out, so that nobody has to wonder.
const defaultSettings: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: "96MB",
  huge_pages: "off",
  io_method: "sync",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_logical_replication_workers: "0",
  max_wal_size: "2GB",
  jit: "off",
  fsync: "on",
  synchronous_commit: "on",
  TimeZone: "UTC",
  log_timezone: "UTC",
  // Failed statements are the business of who sent them; the server speaks of itself.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
};

const carelessSettings: Readonly<Record<string, string>> = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
};

const stopPatienceMs = 20_000;
const attemptsMax = 5;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return address.port;
};

interface Launched {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly exited: Promise<string>;
}

/** Starts the server process and resolves when it accepts connections, or with its complaint. */
const launch = async (
  cluster: Cluster,
  settings: Readonly<Record<string, string>>,
  watcher: Watcher,
  log: (line: string) => void,
): Promise<Launched | string> => {
  const { account, binaries, directory } = cluster;
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = account.spawn(binaries.postgres, ["-D", directory, ...options], {
    cwd: "/",
    // A session of its own: Ctrl-C at the terminal reaches us, and we stop it in the right order.
    detached: true,
    env: { ...process.env, ...binaries.environment, LC_ALL: "C" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (child.pid !== undefined) watcher.watch(child.pid);
  const lastLines: string[] = [];
  const ready = new Promise<true>((resolve) => {
    let rest = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        lastLines.push(line);
        log(line);
        if (line.includes("ready to accept connections")) resolve(true);
      }
      lastLines.splice(0, lastLines.length - 10);
    });
  });
  const exited = once(child, "close").then(
    () => lastLines.join("\n"),
    (error: unknown) => String(error),
  );
  const outcome = await Promise.race([ready, exited]);
  if (typeof outcome === "string") return outcome;
  if (child.pid === undefined) throw new Error("a ready server has a process id");
  return { child, pid: child.pid, exited };
};

/** The port may be taken, or a dying predecessor's memory still held, for a moment: then try again. */
const isPassing = (complaint: string): boolean =>
  complaint.includes("Address already in use") ||
  complaint.includes("shared memory block") ||
  complaint.includes("already exists");

const launchPatiently = async (
  cluster: Cluster,
  options: PostgresOptions,
  watcher: Watcher,
): Promise<Launched & { readonly port: number }> => {
  for (let attempt = 1; ; attempt += 1) {
    const wanted = options.port ?? 0;
    const port = wanted === 0 ? await freePort() : wanted;
    const settings = {
      ...defaultSettings,
      ...(options.durable === false ? carelessSettings : {}),
      ...options.settings,
      port: String(port),
    };
    const launched = await launch(cluster, settings, watcher, options.log ?? (() => undefined));
    if (typeof launched !== "string") return { ...launched, port };
    if (attempt === attemptsMax || !isPassing(launched))
      throw new StartError(
        `PostgreSQL did not start on ${cluster.directory}: ${launched.trim().replaceAll(/\s+/g, " ")}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 100 * attempt));
  }
};

/** Fast shutdown: sessions are ended, everything is written; if that hangs, recovery does it next time. */
const shutDown = async ({ child, exited }: Launched): Promise<void> => {
  child.kill("SIGINT");
  const impatience = setTimeout(() => child.kill("SIGQUIT"), stopPatienceMs);
  await exited;
  clearTimeout(impatience);
};

/** Starts PostgreSQL on a folder that nobody else is using, setting the folder up if it is new. */
export const startPostgres = async (options: PostgresOptions): Promise<PostgresServer> => {
  const { dataDirectory } = options;
  await prepareFolder(dataDirectory);
  const lock = await lockFolder(dataDirectory);
  const watcher = startWatcher();
  try {
    const cluster = await openCluster(dataDirectory, options.durable !== false);
    await endLeftover(cluster.directory);
    const launched = await launchPatiently(cluster, options, watcher);
    let stopping: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      await shutDown(launched);
      await watcher.dismiss();
      await lock.release();
    };
    return {
      url: `postgres://postgres:${cluster.password}@127.0.0.1:${launched.port}/postgres`,
      pid: launched.pid,
      exited: launched.exited,
      stop: () => (stopping ??= stop()),
    };
  } catch (error) {
    await watcher.dismiss();
    await lock.release();
    throw error;
  }
};
