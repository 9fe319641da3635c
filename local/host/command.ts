/** Runs any built function app on the local host: node dist/local/host/command.js APP --database-url URL. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Pool } from "pg";
import { openClock } from "../stack-database.js";
import { StartError } from "../start-error.js";
import { startHost } from "./host.js";
import type { LogEntry } from "./log.js";

const usage =
  "usage: command.js APP_DIRECTORY --database-url URL [--port 7071] [--set NAME=VALUE]...";

const readArguments = () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      "database-url": { type: "string" },
      port: { type: "string", default: "7071" },
      set: { type: "string", multiple: true, default: [] },
    },
  });
  const [app] = positionals;
  const databaseUrl = values["database-url"];
  if (app === undefined || databaseUrl === undefined) throw new StartError(usage);
  const settings = values.set.map((pair): [string, string] => {
    const at = pair.indexOf("=");
    if (at < 1) throw new StartError(`"${pair}" is not NAME=VALUE.`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return {
    appDirectory: resolve(app),
    databaseUrl,
    port: Number(values.port),
    settings: Object.fromEntries(settings),
  };
};

/** Logs go to the standard error stream: the standard output says only where the host listens. */
const logToStandardError = (entry: LogEntry): void => {
  process.stderr.write(`${JSON.stringify(entry)}\n`);
};

const run = async (): Promise<void> => {
  const { appDirectory, databaseUrl, port, settings } = readArguments();
  const pool = new Pool({ connectionString: databaseUrl });
  // An idle connection that the server cuts is replaced by the pool when next needed.
  pool.on("error", () => undefined);
  const host = await startHost({
    appDirectory,
    port,
    pool,
    clock: await openClock(pool, settings["SANDBOX_CLOCK_QUERY"]),
    settings,
    log: logToStandardError,
    startEngine: async (options) => (await import("../durable/engine.js")).startEngine(options),
  });
  process.stdout.write(`${host.url}\n`);
  const stop = async (): Promise<void> => {
    await host.stop();
    await pool.end();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());
};

await run().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof StartError ? error.message : String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exit(1);
});
