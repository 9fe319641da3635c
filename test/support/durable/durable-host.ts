/** Runs a small durable app on the local host, in a process of its own that tests may kill. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

import { apiLine } from "../platform/app-host.js";

export interface LogEntry {
  readonly level: string;
  readonly category: string;
  readonly message: string;
}

/** So many lines of its output are kept. */
const printedMax = 1_000;

export interface InstanceStatus {
  readonly runtimeStatus: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly customStatus: unknown;
  readonly historyEvents?: readonly Readonly<Record<string, unknown>>[];
}

/** Another folder than the run's own build, where several runs go on side by side. */
const buildFolder = process.env["TEST_BUILD"] ?? "dist";
const replayEveryTurn =
  "AzureFunctionsJobHost__extensions__durableTask__extendedSessionsEnabled=false";
/** Set, it has the engine replay an orchestrator's code on every turn: all must hold then, too. */
export const replaysEveryTurn = process.env["TEST_REPLAY_EVERY_TURN"] !== undefined;
const apiPath = "runtime/webhooks/durabletask";
const ended = ["Completed", "Failed", "Terminated"];

export class DurableHost {
  readonly url: string;
  readonly process: ChildProcess;
  readonly #printed: readonly string[];

  constructor(url: string, child: ChildProcess, printed: readonly string[] = []) {
    this.url = url;
    this.process = child;
    this.#printed = printed;
  }

  /** What it has logged lately of one category, the oldest first. */
  logged(category: string): LogEntry[] {
    const entries = this.#printed.filter((line) => line.startsWith("{"));
    return entries
      .map((line) => JSON.parse(line) as LogEntry)
      .filter((entry) => entry.category === category);
  }

  /** The management API, opened with its key. */
  async api(method: string, path: string, body?: unknown, headers = {}): Promise<Response> {
    const separator = path.includes("?") ? "&" : "?";
    return fetch(`${this.url}/${apiPath}/${path}${separator}code=local-key`, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  async start(name: string, id: string, input?: unknown): Promise<void> {
    const response = await this.api("POST", `orchestrators/${name}/${id}`, input ?? null);
    if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  }

  async raise(id: string, data: unknown, name = "go"): Promise<number> {
    return (await this.api("POST", `instances/${id}/raiseEvent/${name}`, data)).status;
  }

  async status(id: string, query = ""): Promise<InstanceStatus> {
    const response = await this.api("GET", `instances/${id}?${query}`);
    return (await response.json()) as InstanceStatus;
  }

  /** Waits until the instance has one of the statuses; by default, until it has ended. */
  async until(id: string, statuses: readonly string[] = ended): Promise<InstanceStatus> {
    const deadline = Date.now() + 60_000;
    for (;;) {
      const status = await this.status(id);
      if (statuses.includes(status.runtimeStatus)) return status;
      if (Date.now() > deadline)
        throw new Error(`${id} is still ${status.runtimeStatus}, not ${statuses.join(" or ")}.`);
      await sleep(10);
    }
  }

  async run(name: string, id: string, input?: unknown): Promise<InstanceStatus> {
    await this.start(name, id, input);
    return this.until(id);
  }

  /** One operation of the library's own client, inside the app. */
  async client(operation: string, body: object): Promise<{ result?: unknown; error?: string }> {
    const response = await fetch(`${this.url}/api/client/${operation}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    return (await response.json()) as { result?: unknown; error?: string };
  }

  /** As Ctrl-C: the host ends in good order. */
  async stop(): Promise<void> {
    const exit = once(this.process, "exit");
    this.process.kill("SIGTERM");
    await exit;
  }

  /** As a crash: nothing in the process gets to run any more. */
  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exit = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await exit;
  }
}

export interface DurableHostOptions {
  /** A folder below test/conformance/apps. */
  readonly app?: string;
  /** What Node is told ahead of the host's command. */
  readonly nodeArguments?: readonly string[];
}

export const startDurableHost = async (
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
  { app = "durable", nodeArguments = [] }: DurableHostOptions = {},
): Promise<DurableHost> => {
  const child = spawn(
    process.execPath,
    [
      ...nodeArguments,
      join(buildFolder, "local/start.js"),
      ...["--app", resolve("test/conformance/apps", app)],
      ...["--database-url", databaseUrl, "--port", "0"],
      ...(replaysEveryTurn ? ["--set", replayEveryTurn] : []),
      ...Object.entries(settings).flatMap(([name, value]) => ["--set", `${name}=${value}`]),
    ],
    // Settings are in the environment, too, for what is loaded before the host reads them.
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...settings } },
  );
  const complaints: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk.toString()));
  const exited = once(child, "close").then(() => {
    throw new Error(`The host did not start: ${complaints.join("").slice(-2_000)}`);
  });
  // What it prints later has to be read, too: a full pipe would hold it up.
  const printed: string[] = [];
  const listening = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      printed.push(line);
      if (printed.length > printedMax) printed.shift();
      const [, url] = apiLine.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  exited.catch(() => undefined);
  return new DurableHost(await Promise.race([listening, exited]), child, printed);
};
