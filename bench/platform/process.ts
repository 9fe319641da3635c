/** The platform of a demo or bench: a child process on a data folder, ended by id. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchPlatform, type Place } from "./launch.js";

export interface PlatformProcess extends Place {
  /** Graceful stop, as Ctrl-C does it. */
  stop(): Promise<void>;
  kill9(): Promise<void>;
}

/** A folder for data that is gone after `use`. */
export const withTemporaryFolder = async <T>(use: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), "borsello-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
};

/** Starts the built platform, or another app, on a data folder and waits until it says where it is. */
export const startPlatform = async (
  dataFolder: string,
  environment: Readonly<Record<string, string>> = {},
  appDirectory?: string,
): Promise<PlatformProcess> => {
  const app = appDirectory === undefined ? [] : ["--app", appDirectory];
  const [{ child, ended }, place] = await launchPlatform(
    ["--port", "0", "--broker-port", "0", "--data", dataFolder, ...app],
    environment,
  );
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended();
  };
  return { ...place, stop: async () => end("SIGTERM"), kill9: async () => end("SIGKILL") };
};
