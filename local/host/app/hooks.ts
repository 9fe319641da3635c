/** The app's hooks: where they are kept, and the objects they see. */
import { noteFailure } from "../../failures.js";
import type {
  Disposable,
  FunctionCallback,
  HookCallback,
  HookName,
  LogCategory,
  LogLevel,
} from "./core-types.js";

export type HookData = Record<string, unknown>;

const hookNames: readonly HookName[] = [
  "appStart",
  "appTerminate",
  "preInvocation",
  "postInvocation",
  "log",
];

const isHookName = (name: string): name is HookName =>
  hookNames.some((candidate) => candidate === name);

/** An error of the host's making: the library recognises it by this mark. */
export const systemError = <E extends Error>(error: E): E =>
  Object.assign(error, { isAzureFunctionsSystemError: true });

const refuseSet = (name: string) => (): never => {
  throw systemError(new Error(`Cannot assign to read only property '${name}'`));
};

/** `writable` as plain properties, `readOnly` as properties that refuse to be set. */
const hookContext = <W extends object>(readOnly: Record<string, unknown>, writable: W): W => {
  for (const [name, value] of Object.entries(readOnly))
    Object.defineProperty(writable, name, {
      enumerable: true,
      get: () => value,
      set: refuseSet(name),
    });
  return writable;
};

export interface InvocationHookState {
  inputs: unknown[];
  functionCallback: FunctionCallback;
}

export interface OutcomeHookState {
  inputs: unknown[];
  result: unknown;
  error: unknown;
}

/** A log hook that fails must not fail what was being logged. */
const failed = (error: unknown): void => noteFailure("A log hook of the app", error);

/** All hooks of one app. Those of one kind run one after another, in order of registration. */
export class Hooks {
  /** Shared by every hook of the app. */
  readonly #appHookData: HookData = {};
  readonly #registered: Record<HookName, HookCallback[]> = {
    appStart: [],
    appTerminate: [],
    preInvocation: [],
    postInvocation: [],
    log: [],
  };

  register(name: string, callback: HookCallback): Disposable {
    if (!isHookName(name)) throw systemError(new RangeError(`Unrecognized hook "${name}"`));
    const list = this.#registered[name];
    list.push(callback);
    return {
      dispose: () => {
        const at = list.indexOf(callback);
        if (at >= 0) list.splice(at, 1);
      },
    };
  }

  has(name: HookName): boolean {
    return this.#registered[name].length > 0;
  }

  async #run(name: HookName, context: object): Promise<void> {
    for (const callback of [...this.#registered[name]]) await callback(context);
  }

  async runApp(name: "appStart" | "appTerminate", functionAppDirectory: string): Promise<void> {
    const data = this.#appHookData;
    await this.#run(
      name,
      hookContext({ hookData: data, appHookData: data, functionAppDirectory }, {}),
    );
  }

  /** The inputs and the callback that the function is to be run with. */
  async runPreInvocation(
    state: InvocationHookState,
    hookData: HookData,
    invocationContext: unknown,
  ): Promise<InvocationHookState> {
    const fixed = { hookData, appHookData: this.#appHookData, invocationContext };
    const context = hookContext(fixed, { ...state });
    await this.#run("preInvocation", context);
    return context;
  }

  /** The result or error that counts: hooks may replace both. */
  async runPostInvocation(
    state: OutcomeHookState,
    hookData: HookData,
    invocationContext: unknown,
  ): Promise<OutcomeHookState> {
    const fixed = { hookData, appHookData: this.#appHookData, invocationContext };
    const context = hookContext(fixed, { ...state });
    await this.#run("postInvocation", context);
    return context;
  }

  /** Level and text to be written: a hook may change them, for what the app itself logs. */
  runLog(
    entry: { level: LogLevel; message: string },
    category: LogCategory,
    invocation?: { readonly hookData: HookData; readonly context: unknown },
  ): { level: LogLevel; message: string } {
    const fixed = {
      category,
      hookData: invocation?.hookData ?? this.#appHookData,
      appHookData: this.#appHookData,
      invocationContext: invocation?.context,
    };
    const context = hookContext(fixed, { ...entry });
    for (const callback of [...this.#registered.log]) {
      try {
        void Promise.resolve(callback(context)).catch(failed);
      } catch (error) {
        failed(error);
      }
    }
    return category === "user" ? context : entry;
  }
}
