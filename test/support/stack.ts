/** The whole platform as a child process on a fresh database, to be talked to from outside only. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { createDatabase } from "./database.js";

export interface TestStackOptions {
  /** Application settings and other variables on top of the defaults. */
  readonly environment?: Readonly<Record<string, string>>;
  /** An embedded PostgreSQL of its own in this folder, instead of a database of the test run's. */
  readonly dataDirectory?: string;
}

const Ready = z.object({
  url: z.string(),
  brokerConnectionString: z.string(),
  databaseUrl: z.string(),
  pid: z.int(),
});
type Place = z.output<typeof Ready>;

export interface TestStack extends Readonly<Place> {
  /** What it has printed lately. */
  output(): string;
  kill9(): Promise<void>;
  /** Stops it if it runs, and starts it again on the same database and ports. */
  restart(): Promise<void>;
  /** Stops it as Ctrl-C does and drops its database. Resolves to the exit code. */
  stop(): Promise<number | null>;
}

export interface StartProcess {
  readonly child: ChildProcess;
  output(): string;
  /** Resolves to the exit code, null after a signal. */
  ended(): Promise<number | null>;
}

const keptCharacters = 20_000;

/** A developer's own settings must not reach a test; an empty value counts as not set. */
const unset = { DATABASE_URL: "", ServiceBus: "", NODE_ENV: "" };

/** Runs the built command line with these options. */
export const runStart = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): StartProcess => {
  const child = spawn(process.execPath, [resolve("dist/local/start.js"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...unset, LOG_LEVEL: "warn", ...environment },
  });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-keptCharacters);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  // A test run that is cut short must not leave platforms behind.
  const killed = (): void => void child.kill("SIGKILL");
  process.once("exit", killed);
  const ended = once(child, "close").then(() => process.off("exit", killed));
  return { child, output: () => output, ended: () => ended.then(() => child.exitCode) };
};

const readyPlace = async (started: StartProcess, file: string): Promise<Place> => {
  while (started.child.exitCode === null && started.child.signalCode === null) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text !== "") return Ready.parse(JSON.parse(text));
    await delay(10);
  }
  await started.ended();
  throw new Error(`The platform did not start:\n${started.output()}`);
};

const launch = async (
  ports: readonly [http: number, amqp: number],
  source: readonly [option: string, value: string],
  environment: Readonly<Record<string, string>>,
): Promise<[StartProcess, Place]> => {
  const folder = await mkdtemp(join(tmpdir(), "borsello-ready-"));
  const readyFile = join(folder, "ready.json");
  const [port, brokerPort] = ports.map(String);
  try {
    const started = runStart(
      [
        ...["--port", port ?? "0", "--broker-port", brokerPort ?? "0"],
        ...source,
        ...["--ready-file", readyFile],
      ],
      environment,
    );
    return [started, await readyPlace(started, readyFile)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const portOf = (text: string): number => Number(/:(\d+)(?:;|$)/.exec(text)?.[1]);

/** Starts the platform and resolves when it answers; when it does not, what it printed is the error. */
export const startTestStack = async (options: TestStackOptions = {}): Promise<TestStack> => {
  const { dataDirectory, environment = {} } = options;
  const database = dataDirectory === undefined ? await createDatabase() : undefined;
  const source: [string, string] =
    database === undefined ? ["--data", dataDirectory ?? ""] : ["--database-url", database.url];
  let [running, place] = await launch([0, 0], source, environment);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    running.child.kill(signal);
    return running.ended();
  };
  return {
    get url() {
      return place.url;
    },
    get brokerConnectionString() {
      return place.brokerConnectionString;
    },
    get databaseUrl() {
      return place.databaseUrl;
    },
    get pid() {
      return place.pid;
    },
    output: () => running.output(),
    kill9: async () => {
      await end("SIGKILL");
    },
    restart: async () => {
      await end("SIGTERM");
      const ports = [portOf(place.url), portOf(place.brokerConnectionString)] as const;
      [running, place] = await launch(ports, source, environment);
    },
    stop: async () => {
      const code = await end("SIGTERM");
      await database?.drop();
      return code;
    },
  };
};
