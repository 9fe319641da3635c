/** The platform as a child process: started as a user would start it, ended by id. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

const Ready = z.object({
  url: z.string(),
  brokerConnectionString: z.string(),
  databaseUrl: z.string(),
  pid: z.number(),
});

export interface PlatformProcess extends z.infer<typeof Ready> {
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

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
};

/** The demo and the benches never touch a database or broker that the shell happens to name. */
const unset = { DATABASE_URL: "", ServiceBus: "" };

/** Starts the built platform on a data folder and waits until it says where it is. */
export const startPlatform = async (
  dataFolder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<PlatformProcess> => {
  const readyFile = join(dataFolder, "..", `ready-${process.pid}-${Date.now()}.json`);
  const args = ["--port", "0", "--broker-port", "0", "--data", dataFolder];
  const child = spawn(
    process.execPath,
    [resolve("dist/local/start.js"), ...args, "--ready-file", readyFile],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...unset, LOG_LEVEL: "warn", ...environment },
    },
  );
  let output = "";
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-20_000);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const text = await readyText(child, readyFile);
  if (text === null) throw new Error(`The platform did not start:\n${output}`);
  await rm(readyFile, { force: true });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended(child);
  };
  return {
    ...Ready.parse(JSON.parse(text)),
    stop: async () => end("SIGTERM"),
    kill9: async () => end("SIGKILL"),
  };
};

/** The ready file's text; null where the process ended first. */
const readyText = async (child: ChildProcess, file: string): Promise<string | null> => {
  while (child.exitCode === null && child.signalCode === null) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text.endsWith("}") || text.endsWith("}\n")) return text;
    await sleep(5);
  }
  return null;
};
