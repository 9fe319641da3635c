/** The whole platform as a child process on a fresh database, to be talked to from outside only. */
import { launchPlatform, type Place, type StartProcess } from "../../../bench/platform/launch.js";
import { createDatabase } from "../database/database.js";

export interface TestStackOptions {
  /** Application settings and other variables on top of the defaults. */
  readonly environment?: Readonly<Record<string, string>>;
  /** An embedded PostgreSQL of its own in this folder, instead of a database of the test run's. */
  readonly dataDirectory?: string;
}

export interface TestStack extends Place {
  /** What it has printed lately. */
  output(): string;
  kill9(): Promise<void>;
  /** Stops it if it runs, and starts it again on the same database and ports. */
  restart(): Promise<void>;
  /** Stops it as Ctrl-C does and drops its database. Resolves to the exit code. */
  stop(): Promise<number | null>;
}

const launch = async (
  [port, brokerPort]: readonly [http: number, amqp: number],
  source: readonly [option: string, value: string],
  environment: Readonly<Record<string, string>>,
): Promise<[StartProcess, Place]> =>
  launchPlatform(
    ["--port", String(port), "--broker-port", String(brokerPort), ...source],
    environment,
  );

const portOf = (text: string): number => Number(/:(\d+)(?:;|$)/.exec(text)?.[1]);

/** Starts the platform and resolves when it answers; when it does not, what it printed is the error. */
export const startTestStack = async (options: TestStackOptions = {}): Promise<TestStack> => {
  const { dataDirectory, environment = {} } = options;
  const database =
    dataDirectory === undefined ? await createDatabase({ migrated: true }) : undefined;
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
