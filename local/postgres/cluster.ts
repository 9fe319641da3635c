/** PostgreSQL's files in the data folder: made by initdb on the first start, checked on every other. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorCode, StartError } from "../start-error.js";
import { chooseAccount } from "./account.js";
import type { Account, Owner } from "./account.js";
import { findBinaries } from "./binaries.js";
import type { Binaries } from "./binaries.js";
import { startWatcher } from "./watcher.js";

export interface Cluster {
  /** PostgreSQL's own data directory. */
  readonly directory: string;
  readonly password: string;
  readonly binaries: Binaries;
  readonly account: Account;
}

export interface ClusterOptions {
  readonly durable?: boolean;
  readonly onSpawned?: () => void;
  /** Called before the files are made, which takes some seconds: the first start in this folder. */
  readonly onFirstStart?: () => void;
}

const supportedVersion = "18";

const describe: Readonly<Record<string, string>> = {
  ENOENT: "it cannot be made there",
  EACCES: "you may not write there",
  EPERM: "you may not write there",
  EROFS: "it is read-only",
  EEXIST: "it is a file",
  ENOTDIR: "a part of its path is a file",
  ENOSPC: "the disk is full",
  ENAMETOOLONG: "its path is too long",
};

/** Undefined where there is nothing of that name, and only there. */
const found = async <Value>(work: Promise<Value>): Promise<Value | undefined> =>
  work.catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  });

const isFolder = async (path: string): Promise<boolean> =>
  (await found(stat(path)))?.isDirectory() === true;

const unusable = (folder: string, error: unknown): unknown => {
  const reason = describe[errorCode(error) ?? ""];
  return reason === undefined
    ? error
    : new StartError(
        `The data folder ${folder} cannot be used: ${reason}. Choose another with --data.`,
      );
};

/** Makes the folder and those above it. (Node's own recursive mkdir never returns below /proc.) */
const makeFolder = async (folder: string): Promise<void> => {
  // Run by root, PostgreSQL's own account has to pass through, though not to list or to read.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  const make = () => mkdir(folder, { mode });
  try {
    await make();
  } catch (error) {
    const above = dirname(folder);
    if (errorCode(error) === "ENOENT" && !(await isFolder(above))) {
      await makeFolder(above);
      await make();
    } else if (!(await isFolder(folder))) throw error;
  }
};

/** Makes the data folder and proves that it can be written. Resolves to its real path. */
export const prepareFolder = async (path: string): Promise<string> => {
  const folder = resolve(path);
  try {
    await makeFolder(folder);
    const proof = join(folder, `.writable-${process.pid}`);
    await writeFile(proof, "");
    await rm(proof);
    return await realpath(folder);
  } catch (error) {
    throw unusable(folder, error);
  }
};

const readIfThere = async (path: string): Promise<string | undefined> =>
  (await found(readFile(path, "utf8")))?.trim();

const checkVersion = (folder: string, version: string): void => {
  if (version === supportedVersion) return;
  throw new StartError(
    `The data folder ${folder} was written by PostgreSQL ${version}, and this is PostgreSQL ${supportedVersion}: choose another folder with --data.`,
  );
};

const runInitdb = async (cluster: Cluster, passwordFile: string, options: ClusterOptions) => {
  const { account, binaries, directory } = cluster;
  const initdb = account.spawn(
    binaries.initdb,
    [
      `--pgdata=${directory}`,
      "--username=postgres",
      "--auth=scram-sha-256",
      `--pwfile=${passwordFile}`,
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--no-instructions",
      // The password is random and long: stretching it would only slow each connection down.
      "--set=scram_iterations=1",
      ...(options.durable === false ? ["--no-sync"] : []),
    ],
    {
      cwd: "/",
      env: { ...process.env, ...binaries.environment, LC_ALL: "C", TZ: "UTC" },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let complaint = "";
  initdb.stderr?.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  // Told to stop, initdb clears away what it made.
  const watcher = startWatcher();
  if (initdb.pid !== undefined) watcher.watch(initdb.pid);
  options.onSpawned?.();
  await once(initdb, "close").finally(() => watcher.dismiss());
  if (initdb.exitCode === 0) return;
  throw new StartError(
    `PostgreSQL could not set up its files in ${directory}: ${complaint.trim().replaceAll(/\s+/g, " ")}`,
  );
};

const accountFor = (binaries: Binaries, directory: string, existing: Owner | undefined) =>
  chooseAccount(binaries.postgres, directory, existing, async ({ uid, gid }) => {
    if (existing === undefined) await chown(directory, uid, gid);
  });

/** initdb works in a folder that gets its final name only when complete: a kill leaves no half cluster. */
const create = async (
  folder: string,
  binaries: Binaries,
  options: ClusterOptions,
): Promise<Omit<Cluster, "directory">> => {
  const directory = join(folder, "postgres.new");
  const passwordFile = join(folder, "password");
  const password = randomBytes(24).toString("base64url");
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  await mkdir(directory, { mode: 0o700 });
  const account = await accountFor(binaries, directory, undefined);
  options.onFirstStart?.();
  await rm(passwordFile, { force: true });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account.owner !== undefined) await chown(passwordFile, account.owner.uid, account.owner.gid);
  const cluster = { directory, password, binaries, account };
  await runInitdb(cluster, passwordFile, options);
  await rename(directory, join(folder, "postgres"));
  return cluster;
};

/** Whether PostgreSQL's files are (still) there. */
export const isCluster = async (directory: string): Promise<boolean> =>
  (await readIfThere(join(directory, "PG_VERSION"))) !== undefined;

/** The cluster in `folder`, made first if there is none yet. */
export const openCluster = async (folder: string, options: ClusterOptions): Promise<Cluster> => {
  const directory = join(folder, "postgres");
  const binaries = await findBinaries(join(folder, "lib"));
  try {
    const owner = await found(stat(directory));
    if (owner === undefined) return { ...(await create(folder, binaries, options)), directory };
    const [account, password, version] = await Promise.all([
      accountFor(binaries, directory, { uid: owner.uid, gid: owner.gid }),
      readIfThere(join(folder, "password")),
      readIfThere(join(directory, "PG_VERSION")),
    ]);
    if (version === undefined || password === undefined)
      throw new StartError(
        `The data folder ${folder} is not complete: choose another with --data, or remove it to begin anew.`,
      );
    checkVersion(folder, version);
    return { directory, password, binaries, account };
  } catch (error) {
    throw unusable(folder, error);
  }
};
