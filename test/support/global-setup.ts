/** Once per test run: builds the app and starts one embedded PostgreSQL for all test files. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, chmod, statfs } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { startPostgres } from "../../local/postgres/server.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** Connection string of the run's PostgreSQL, as its superuser. */
    readonly postgresUrl: string;
  }
}

const memoryDisk = "/dev/shm";
/** Several times what a run has at most at a time. */
const roomBytes = 4 * 1024 ** 3;

/**
 * Each test database is hundreds of files, made and removed within seconds: where memory has room for them,
 * that takes half of the time that the system needs for it on a disk.
 */
const folderForDatabases = async (): Promise<string> => {
  const disk = await statfs(memoryDisk).catch(() => undefined);
  const freeBytes = disk === undefined ? 0 : disk.bavail * disk.bsize;
  return Math.min(freeBytes, freemem()) >= roomBytes ? memoryDisk : tmpdir();
};

const startTestPostgres = async () => {
  const dataDirectory = await mkdtemp(join(await folderForDatabases(), "borsello-test-"));
  // Run by root, the server's own account has to pass through the folder.
  await chmod(dataDirectory, 0o711);
  const server = await startPostgres({
    dataDirectory,
    durable: false,
    settings: { max_connections: "400", max_wal_size: "256MB" },
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  };
  return { url: server.url, stop };
};

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const [, postgres] = await Promise.all([
    promisify(execFile)(process.execPath, ["scripts/build.mjs"]),
    startTestPostgres(),
  ]);
  project.provide("postgresUrl", postgres.url);
  return postgres.stop;
};
