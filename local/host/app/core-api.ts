/** The host's side of `@azure/functions-core`: what an app registers while it loads. */
import Module from "node:module";
import { StartError } from "../../start-error.js";
import type {
  CoreApi,
  Disposable,
  FunctionCallback,
  FunctionMetadata,
  ProgrammingModel,
} from "./core-types.js";
import { Hooks, systemError } from "./hooks.js";
import type { HostLog } from "./log.js";

export const hostVersion = "4.1041.0";
const coreModuleName = "@azure/functions-core";

export interface RegisteredFunction {
  readonly metadata: FunctionMetadata;
  readonly callback: FunctionCallback;
}

/** Everything that one app has registered. */
export interface Registrations {
  readonly api: CoreApi;
  readonly hooks: Hooks;
  readonly functions: readonly RegisteredFunction[];
  /** Names that were given twice, ignoring case: all functions share one name space. */
  readonly duplicates: readonly string[];
  programmingModel(): ProgrammingModel | undefined;
  /** From now on nothing more may be registered. */
  lock(): void;
}

class HostDisposable implements Disposable {
  readonly #dispose: () => unknown;

  constructor(dispose: () => unknown) {
    this.#dispose = dispose;
  }

  static from(...parts: readonly Disposable[]): HostDisposable {
    return new HostDisposable(() => parts.forEach((part) => part.dispose()));
  }

  dispose(): unknown {
    return this.#dispose();
  }
}

export const createRegistrations = (log: HostLog): Registrations => {
  const hooks = new Hooks();
  const byName = new Map<string, RegisteredFunction>();
  const duplicates: string[] = [];
  let model: ProgrammingModel | undefined;
  let locked = false;

  const registerFunction = (
    metadata: FunctionMetadata,
    callback: FunctionCallback,
  ): HostDisposable => {
    if (locked)
      throw systemError(new Error("A function can only be registered during app startup."));
    const key = metadata.name.toLowerCase();
    if (byName.has(key)) duplicates.push(metadata.name);
    byName.set(key, { metadata, callback });
    return new HostDisposable(() => {
      if (locked)
        throw systemError(new Error("A function can only be disposed during app startup."));
      byName.delete(key);
    });
  };

  const api = {
    version: "3.10.0",
    hostVersion,
    Disposable: HostDisposable,
    registerFunction,
    registerHook: (name: string, callback: (context: object) => unknown) => {
      const registered = hooks.register(name, callback);
      return new HostDisposable(() => registered.dispose());
    },
    setProgrammingModel: (next: ProgrammingModel) => void (model = next),
    getProgrammingModel: () => {
      if (model === undefined) throw systemError(new Error("No programming model is set."));
      return model;
    },
    log: log.library,
  } satisfies CoreApi & { readonly Disposable: unknown };

  return {
    api,
    hooks,
    get functions() {
      return [...byName.values()];
    },
    duplicates,
    programmingModel: () => model,
    lock: () => void (locked = true),
  };
};

let installed = false;

/**
 * Answers `require("@azure/functions-core")` with `api`. The library looks the module up once and
 * remembers what it found, so this comes before the app's first file, and once in a process.
 */
export const installCoreApi = (api: CoreApi): void => {
  if (installed)
    throw new StartError("A process can hold one function app, and it has one already.");
  installed = true;
  type Load = (request: string, ...rest: unknown[]) => unknown;
  const loader = Module as unknown as { _load: Load };
  const load = loader._load;
  loader._load = function (this: unknown, request, ...rest) {
    return request === coreModuleName ? api : load.call(this, request, ...rest);
  };
};
