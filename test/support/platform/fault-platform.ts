/** The platform on a data folder of its own, with the faults that a test may inflict on its parts. */
import { execFile } from "node:child_process";
import { chmod, mkdtemp, open, readFile, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { startPlatform, type PlatformProcess } from "../../../bench/platform/process.js";
import { withClient } from "../database/connections.js";

const run = promisify(execFile);

export type Rows = readonly Record<string, unknown>[];

export interface FaultPlatform extends PlatformProcess {
  /** Asks the database until it answers. */
  query(text: string, values?: readonly unknown[]): Promise<Rows>;
  /** Ends all connections of the platform; resolves to how many. */
  endConnections(): Promise<number>;
  killPostmaster(): Promise<void>;
  /** Stops processes and lets them go on: the platform, the postmaster, or it with all its sessions. */
  pause(what: "platform" | "postmaster" | "server", ms: number): Promise<void>;
  /** Leaves no byte for the database, neither for tables nor for its log, for so long. */
  fillDisk(ms: number): Promise<void>;
  /** Whether the very process still lives. */
  readonly lives: boolean;
  /** Resolves to the milliseconds that it took until the health was ok. */
  healthy(): Promise<number>;
  end(): Promise<void>;
}

const patienceMs = 120_000;
const pollMs = 100;
const diskBytes = 400 * 1024 * 1024;

/** Why this machine cannot have a small disk; undefined where it can. */
export const noSmallDisk = async (): Promise<string | undefined> => {
  if (process.platform !== "linux") return "a small disk is mounted on Linux only";
  if (process.getuid?.() !== 0) return "only root may mount a small disk";
  const folder = await mkdtemp(join(tmpdir(), "borsello-mount-"));
  try {
    await mountSmall(folder);
    await run("umount", [folder]);
    return undefined;
  } catch (error) {
    return `a small disk cannot be mounted: ${String(error)}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const mountSmall = (folder: string) =>
  run("mount", ["-t", "tmpfs", "-o", `size=${diskBytes},mode=711`, "tmpfs", folder]);

/** False: the disk is full. */
const written = (handle: FileHandle, size: number): Promise<boolean> =>
  handle.write(Buffer.alloc(size)).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
      throw error;
    },
  );

/** Takes what is left of a disk, in a file that can be given back at once. */
const takeRest = async (file: string): Promise<void> => {
  const handle = await open(file, "w");
  for (let size = 1024 * 1024; size >= 4096; size /= 2) while (await written(handle, size));
  await handle.close();
};

const asked = async (url: string, text: string, values: readonly unknown[]): Promise<Rows> => {
  const config = { application_name: "judge", connectionTimeoutMillis: 5_000 };
  return withClient({ ...config, connectionString: url }, async (client) => {
    const { rows } = await client.query<Record<string, unknown>>(text, [...values]);
    return rows;
  });
};

const isHealthy = async (url: string): Promise<boolean> =>
  fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ status }) => status === 200,
    () => false,
  );

/** `onSmallDisk` puts the data on a disk that can be filled. */
export const startFaultPlatform = async (onSmallDisk: boolean): Promise<FaultPlatform> => {
  const folder = await mkdtemp(join(tmpdir(), "borsello-faults-"));
  await chmod(folder, 0o711);
  if (onSmallDisk) await mountSmall(folder);
  const data = join(folder, "data");
  const platform = await startPlatform(data);
  const { url, databaseUrl, pid } = platform;

  const query = async (text: string, values: readonly unknown[] = []): Promise<Rows> => {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      try {
        return await asked(databaseUrl, text, values);
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await sleep(pollMs);
      }
    }
  };
  const postmaster = async (): Promise<number> => {
    const [line] = (await readFile(join(data, "postgres/postmaster.pid"), "utf8")).split("\n");
    return Number(line);
  };
  const processesOf = async (what: "platform" | "postmaster" | "server"): Promise<number[]> => {
    if (what === "platform") return [pid];
    const parent = await postmaster();
    if (what === "postmaster") return [parent];
    const children = await readFile(`/proc/${parent}/task/${parent}/children`, "utf8");
    return [parent, ...children.trim().split(" ").map(Number)];
  };
  return {
    ...platform,
    query,
    endConnections: async () => {
      const [row] = await query(
        `select count(pg_terminate_backend(pid))::int as count from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
      return Number(row?.["count"]);
    },
    killPostmaster: async () => {
      process.kill(await postmaster(), "SIGKILL");
    },
    pause: async (what, ms) => {
      const stopped = await processesOf(what);
      for (const each of stopped) process.kill(each, "SIGSTOP");
      await sleep(ms);
      for (const each of stopped) process.kill(each, "SIGCONT");
    },
    fillDisk: async (ms) => {
      const ballast = join(folder, "ballast");
      await takeRest(ballast);
      // The log has segments in reserve: once they are used up, the server panics.
      const useUp = `do $$ begin
        for segment in 1 .. 64 loop
          perform pg_logical_emit_message(true, 'filler', 'x'), pg_switch_wal();
        end loop; end $$`;
      await asked(databaseUrl, useUp, []).catch(() => undefined);
      await sleep(ms);
      await rm(ballast);
    },
    get lives() {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    },
    healthy: async () => {
      const began = performance.now();
      while (!(await isHealthy(url))) {
        if (performance.now() - began > patienceMs) throw new Error("The health stays degraded.");
        await sleep(pollMs);
      }
      return performance.now() - began;
    },
    end: async () => {
      await platform.stop();
      if (onSmallDisk) await run("umount", [folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
};
