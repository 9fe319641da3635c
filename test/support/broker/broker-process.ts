/** Runs a broker in a process of its own, from the sources as they are. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { build } from "esbuild";
import { z } from "zod";
import { testConfiguration } from "./broker.js";

export interface BrokerProcess {
  readonly port: number;
  readonly pid: number;
  /** Whether it runs: nothing that it did not handle has ended it. */
  readonly isAlive: boolean;
  /** Bytes that are in use; it answers only while its event loop turns. */
  memory(): Promise<number>;
  /** How many clients are connected to it. */
  connections(): Promise<number>;
  /** As a crash does: nothing is said to clients, nothing is finished. */
  kill(): Promise<void>;
}

/** Inside the checkout, so that packages are found; one file per test process. */
const bundle = `node_modules/.cache/broker-test/${process.pid}.mjs`;

export const buildBroker = async (): Promise<() => Promise<void>> => {
  await build({
    entryPoints: ["test/support/broker/broker-main.ts"],
    outfile: bundle,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
  });
  return () => rm(bundle, { force: true });
};

const portOf = async (child: ChildProcess): Promise<number> => {
  const [message] = (await once(child, "message")) as unknown[];
  return z.object({ port: z.int() }).parse(message).port;
};

/** A quiet one does not write what it refuses to the terminal. */
export const runBroker = async (
  url: string,
  port: number,
  {
    isQuiet = false,
    configuration = testConfiguration,
  }: { readonly isQuiet?: boolean; readonly configuration?: unknown } = {},
): Promise<BrokerProcess> => {
  const child = fork(bundle, [url, String(port), JSON.stringify(configuration)], {
    execArgv: ["--expose-gc"],
    stdio: ["ignore", "inherit", isQuiet ? "ignore" : "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const started = await Promise.race([portOf(child), exited.then(() => undefined)]);
  const look = async () => {
    const answer = once(child, "message");
    child.send("look");
    const [message] = (await Promise.race([answer, exited])) as unknown[];
    return z.object({ memory: z.number(), connections: z.int() }).parse(message);
  };
  const { pid } = child;
  if (started === undefined || pid === undefined)
    throw new Error("the broker's process ended before it was ready");
  return {
    port: started,
    pid,
    get isAlive() {
      return child.exitCode === null && child.signalCode === null;
    },
    memory: async () => (await look()).memory,
    connections: async () => (await look()).connections,
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
};
