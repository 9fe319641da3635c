/** Runs one function app on the built local host, in a process of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

export interface AppHost {
  readonly url: string;
  /** What the host has logged so far, a line an entry. */
  readonly log: readonly string[];
  /** Ends it as an operator would; resolves to the exit code. */
  stop(): Promise<number | null>;
}

/** The line that says where the app is, once all is up. */
export const apiLine = /^ {2}API +(http\S+)$/;

export interface AppHostOptions {
  readonly databaseUrl: string;
  readonly settings?: Readonly<Record<string, string>>;
}

/** The command line on an app below test/conformance/apps, or in another folder. */
const spawnHost = (app: string, { databaseUrl, settings = {} }: AppHostOptions) => {
  const set = Object.entries(settings).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
  const command = resolve("dist/local/start.js");
  const directory = resolve("test/conformance/apps", app);
  const given = ["--port", "0", "--database-url", databaseUrl, ...set];
  return spawn(process.execPath, [command, "--app", directory, ...given], {
    stdio: ["ignore", "pipe", "pipe"],
  });
};

/** Rejects with what the host said where it does not come up. */
export const startAppHost = async (app: string, options: AppHostOptions): Promise<AppHost> => {
  const child = spawnHost(app, options);
  const log: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => log.push(line));
  const exited = once(child, "close");
  const listening = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("{")) log.push(line);
      const [, url] = apiLine.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  const url = await Promise.race([
    listening,
    exited.then(() => Promise.reject(new Error(log.join("\n")))),
  ]);
  return {
    url,
    log,
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
      return child.exitCode;
    },
  };
};
