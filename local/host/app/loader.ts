/** Loads a built function app: its package.json `main` glob, file by file, through the app's own library. */
import http from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type functionsLibrary from "@azure/functions";
import { StartError } from "../../start-error.js";
import { createRegistrations, installCoreApi, type RegisteredFunction } from "./core-api.js";
import type { ProgrammingModel } from "./core-types.js";
import { entryFiles } from "./entry-files.js";
import type { Hooks } from "./hooks.js";
import { loadFailure } from "./load-failure.js";
import type { HostLog } from "./log.js";

/** The classes that requests, responses and contexts are made of, from the app's own copy of the library. */
export type FunctionsLibrary = Pick<
  typeof functionsLibrary,
  "HttpRequest" | "HttpResponse" | "InvocationContext"
>;

export interface LoadedApp {
  readonly directory: string;
  readonly functions: readonly RegisteredFunction[];
  readonly hooks: Hooks;
  readonly model: ProgrammingModel;
  readonly library: FunctionsLibrary;
  /** Whether the app asked for HTTP streaming. */
  readonly streaming: boolean;
}

/** What the genuine host says it can do; the library answers with what the worker can. */
const hostCapabilities = [
  "RawHttpBodyBytes",
  "RpcHttpTriggerMetadataRemoved",
  "RpcHttpBodyOnly",
  "IgnoreEmptyValuedRpcHttpHeaders",
  "UseNullableValueDictionaryForHttp",
  "WorkerStatus",
  "TypedDataCollection",
  "HandlesWorkerTerminateMessage",
];

/**
 * Asks for the capabilities. Asked for streaming, the library opens a server of its own, for a
 * host in another process. This host hands requests over in memory, so that server is closed.
 */
const askStreaming = async (model: ProgrammingModel): Promise<boolean> => {
  const opened: http.Server[] = [];
  const createServer = http.createServer;
  http.createServer = ((...args: Parameters<typeof createServer>) => {
    const server = createServer(...args);
    opened.push(server);
    return server;
  }) as typeof createServer;
  try {
    const offered = Object.fromEntries(hostCapabilities.map((name) => [name, "true"]));
    const capabilities = await model.getCapabilities?.(offered);
    return capabilities?.["HttpUri"] !== undefined;
  } finally {
    http.createServer = createServer;
    for (const server of opened) {
      // The library would tell of its end, in a line that means nothing to whoever starts the host.
      server.removeAllListeners("close");
      server.close();
    }
  }
};

const libraryOf = (directory: string): FunctionsLibrary => {
  const require = createRequire(join(directory, "package.json"));
  try {
    return require("@azure/functions") as FunctionsLibrary;
  } catch {
    // A bundled app carries the library inside its bundle: the host's own copy does.
    return createRequire(import.meta.url)("@azure/functions") as FunctionsLibrary;
  }
};

export const loadApp = async (directory: string, log: HostLog): Promise<LoadedApp> => {
  const registrations = createRegistrations(log);
  installCoreApi(registrations.api);
  for (const file of await entryFiles(directory)) {
    await import(pathToFileURL(file).href).catch((error: unknown) => {
      throw loadFailure(directory, file, error);
    });
  }
  const [duplicate] = registrations.duplicates;
  if (duplicate !== undefined)
    throw new StartError(`The function name "${duplicate}" is registered more than once.`);
  const model = registrations.programmingModel();
  if (model === undefined) throw new StartError(`The app in ${directory} registers no function.`);

  await registrations.hooks.runApp("appStart", directory);
  registrations.lock();
  return {
    directory,
    functions: registrations.functions,
    hooks: registrations.hooks,
    model,
    library: libraryOf(directory),
    streaming: await askStreaming(model),
  };
};
