/** Runs the embedded PostgreSQL on a data folder, and brings it back should it end by itself. */
import { setTimeout as delay } from "node:timers/promises";
import { reservePort } from "../reserve-port.js";
import { StartError } from "../start-error.js";
import { isCluster, openCluster, prepareFolder } from "./cluster.js";
import type { Cluster } from "./cluster.js";
import { lockFolder } from "./folder-lock.js";
import { launch } from "./launch.js";
import type { ServerProcess } from "./launch.js";
import { endLeftover } from "./leftover.js";
import { hasRoomForSocket, isSocketRefused, socketSetting, withSocket } from "./socket.js";

export interface PostgresOptions {
  /** Everything lies below this folder: the files, the password, the lock. */
  readonly dataDirectory: string;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** Server settings that come on top of ours. */
  readonly settings?: Readonly<Record<string, string>>;
  /** False gives up safety against a crash of the machine: for data that nobody needs afterwards. */
  readonly durable?: boolean;
  /** Called as soon as a program of PostgreSQL runs: the moment to do heavy work meanwhile. */
  readonly onSpawned?: () => void;
  /** Called before the files are made, which takes some seconds: the first start in this folder. */
  readonly onFirstStart?: () => void;
  /** Every line of the server's own log. */
  readonly log?: (line: string) => void;
  /** What a person should know though all goes on. */
  readonly warn?: (message: string) => void;
}

export interface PostgresServer {
  /** Connection string of the database `postgres`, password included. */
  readonly url: string;
  /** The same by the server's Unix-domain socket, where it has one. */
  readonly socketUrl: string;
  /** Settles only when the server ended by itself and could not be brought back, with the reason. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

// For one small machine: little memory when idle, no helper process that nobody uses, and the
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

const attemptsMax = 5;
const retryMs = 100;

const freePort = async (): Promise<number> => {
  const reserved = await reservePort(0, "");
  await reserved.release();
  return reserved.port;
};

/** The port may be taken, or a dying predecessor's memory still held, for a moment. */
const isPassing = (complaint: string): boolean =>
  ["Address already in use", "shared memory block", "already exists"].some((text) =>
    complaint.includes(text),
  );

interface Running {
  readonly process: ServerProcess;
  readonly port: number;
  readonly hasSocket: boolean;
}

/** `before`: how it ran until now, whose address is known and so must stay. */
const launchPatiently = async (
  cluster: Cluster,
  options: PostgresOptions,
  before?: Running,
): Promise<Running> => {
  const wanted = before?.port ?? options.port ?? 0;
  let hasSocket = before?.hasSocket ?? hasRoomForSocket(cluster.directory);
  for (let attempt = 1; ; attempt += 1) {
    const port = wanted === 0 ? await freePort() : wanted;
    const settings = {
      ...defaultSettings,
      ...(hasSocket ? { unix_socket_directories: socketSetting(cluster.directory) } : {}),
      ...(options.durable === false ? carelessSettings : {}),
      ...options.settings,
      port: String(port),
    };
    const launched = await launch(cluster, settings, options);
    if (!("complaint" in launched)) return { process: launched, port, hasSocket };
    const complaint = launched.complaint.trim().replaceAll(/\s+/g, " ");
    if (hasSocket && before === undefined && isSocketRefused(complaint)) {
      hasSocket = false;
      continue;
    }
    if (attempt === attemptsMax || !isPassing(complaint))
      throw new StartError(`PostgreSQL did not start on ${cluster.directory}: ${complaint}`);
    await delay(retryMs * attempt);
  }
};

/** A shorter run counts as another failure: the pause before the next start grows. */
const soundRunMs = 10_000;
const pauseMsMax = 5_000;

/** Keeps a server on its port until stopped. */
const supervise = (cluster: Cluster, options: PostgresOptions, first: Running) => {
  let current: Promise<Running> = Promise.resolve(first);
  const stopped = new AbortController();

  /**
   * A server that ran here is tried again for as long as its files are there: what keeps it down,
   * such as a full disk, passes.
   */
  const bringBack = async (before: Running, shortRuns: number): Promise<Running> => {
    for (let failures = shortRuns; ; failures += 1) {
      const pauseMs = failures === 0 ? 0 : Math.min(retryMs * 2 ** (failures - 1), pauseMsMax);
      await delay(pauseMs, undefined, { signal: stopped.signal });
      try {
        await endLeftover(cluster.directory);
        return await launchPatiently(cluster, options, before);
      } catch (error) {
        if (stopped.signal.aborted || !(await isCluster(cluster.directory))) throw error;
        if (failures === shortRuns)
          options.warn?.(`PostgreSQL does not start and is tried again: ${String(error)}`);
      }
    }
  };

  const keepAlive = async (): Promise<Error> => {
    for (let shortRuns = 0; ;) {
      const running = await current;
      const startedAtMs = performance.now();
      const lastWords = await running.process.exited;
      // Only a stop leaves it pending: whoever waits for a failure then waits in vain, as promised.
      if (stopped.signal.aborted) return new Promise<Error>(() => undefined);
      options.log?.(
        `PostgreSQL ended by itself and is started again: ${lastWords.split("\n").at(-1) ?? ""}`,
      );
      shortRuns = performance.now() - startedAtMs < soundRunMs ? shortRuns + 1 : 0;
      current = bringBack(running, Math.max(shortRuns - 1, 0));
    }
  };
  const failed = keepAlive().catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  );
  const stop = async (): Promise<void> => {
    stopped.abort();
    // One that could not be brought back needs no stop; `failed` has said why.
    const running = await current.catch(() => undefined);
    await running?.process.shutDown();
  };
  return { failed, stop };
};

/** Starts PostgreSQL on a folder that nobody else is using, setting the folder up if it is new. */
export const startPostgres = async (options: PostgresOptions): Promise<PostgresServer> => {
  const folder = await prepareFolder(options.dataDirectory);
  const lock = await lockFolder(folder);
  try {
    const cluster = await openCluster(folder, options);
    await endLeftover(cluster.directory);
    const first = await launchPatiently(cluster, options);
    const supervised = supervise(cluster, options, first);
    let stopping: Promise<void> | undefined;
    const url = `postgres://postgres:${cluster.password}@127.0.0.1:${first.port}/postgres`;
    return {
      url,
      socketUrl: first.hasSocket ? withSocket(url, cluster.directory) : url,
      failed: supervised.failed,
      stop: () => (stopping ??= supervised.stop().then(() => lock.release())),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
};
