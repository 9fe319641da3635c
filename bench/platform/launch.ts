/** Launches the built command line as a user would, for benches and tests alike. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

const Ready = z.object({
  url: z.string(),
  /** Empty where the app has no broker. */
  brokerConnectionString: z.string().default(""),
  databaseUrl: z.string(),
  pid: z.int(),
});

/** Where a platform that is ready can be reached. */
export type Place = Readonly<z.output<typeof Ready>>;

export interface StartProcess {
  readonly child: ChildProcess;
  /** What it has printed lately. */
  readonly output: () => string;
  /** Resolves to the exit code, null after a signal. */
  readonly ended: () => Promise<number | null>;
}

const keptCharacters = 20_000;

/** A developer's own settings must not reach it; an empty value counts as not set. */
const unset = { DATABASE_URL: "", ServiceBus: "", NODE_ENV: "" };

/** Whose `dist` is launched: this checkout's, unless a bench measures another one beside it. */
let checkout = ".";

/** What `work` launches comes from the build in another checkout's folder. */
export const launchingFrom = async <T>(folder: string, work: () => Promise<T>): Promise<T> => {
  checkout = folder;
  try {
    return await work();
  } finally {
    checkout = ".";
  }
};

/** The command line's program in the build that is measured. */
export const startProgram = (): string => resolve(checkout, "dist/local/start.js");

/** Runs the built command line with these options. */
export const runStart = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): StartProcess => {
  const child = spawn(process.execPath, [startProgram(), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...unset, LOG_LEVEL: "warn", ...environment },
  });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-keptCharacters);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  // A run that is cut short must not leave platforms behind.
  const killed = (): void => void child.kill("SIGKILL");
  process.once("exit", killed);
  const ended = once(child, "close").then(() => process.off("exit", killed));
  return { child, output: () => output, ended: () => ended.then(() => child.exitCode) };
};

const readyPlace = async (started: StartProcess, file: string): Promise<Place> => {
  while (started.child.exitCode === null && started.child.signalCode === null) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text !== "") return Ready.parse(JSON.parse(text));
    await sleep(5);
  }
  await started.ended();
  throw new Error(`The platform did not start:\n${started.output()}`);
};

/** Resolves when the platform answers; when it does not, what it printed is the error. */
export const launchPlatform = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  /** Hears of the process while it still starts. */
  onStarted: (started: StartProcess) => void = () => undefined,
): Promise<[StartProcess, Place]> => {
  const folder = await mkdtemp(join(tmpdir(), "borsello-ready-"));
  const readyFile = join(folder, "ready.json");
  try {
    const started = runStart([...args, "--ready-file", readyFile], environment);
    onStarted(started);
    return [started, await readyPlace(started, readyFile)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
