/** Runs one function once: arguments, hooks, the handler, hooks again, as the Node worker does it. */
import { randomUUID } from "node:crypto";
import type { LoadedApp } from "./app-loader.js";
import type { RegisteredFunction } from "./core-api.js";
import type {
  BindingInfo,
  CoreInvocationContext,
  FunctionMetadata,
  InvocationModel,
  InvocationResponse,
  RetryContext,
  TraceContext,
  TypedData,
} from "./core-types.js";
import type { HookData } from "./hooks.js";
import type { HostLog } from "./log.js";

/** A function as the host serves it. */
export interface HostedFunction extends RegisteredFunction {
  readonly name: string;
  readonly triggerName: string;
  readonly trigger: BindingInfo;
  readonly inputs: readonly { readonly name: string; readonly binding: BindingInfo }[];
  readonly outputs: readonly { readonly name: string; readonly binding: BindingInfo }[];
}

export interface Call {
  readonly invocationId?: string;
  readonly trigger?: TypedData | null;
  /** Given to the function instead of what the library makes of `trigger`. */
  readonly liveTrigger?: unknown;
  readonly triggerMetadata?: Readonly<Record<string, TypedData>>;
  readonly retryContext?: RetryContext;
  readonly traceContext?: TraceContext;
  /** Gets the context object before the function runs. */
  readonly onContext?: (context: unknown) => void;
}

export interface Outcome {
  readonly invocationId: string;
  /** The handler's own result, after the hooks. */
  readonly result: unknown;
  /** The library's wire form of `result` and of the extra outputs. */
  respond(result: unknown): Promise<InvocationResponse>;
}

/** The value of an input binding other than the trigger, for one invocation. */
export type InputValue = (binding: BindingInfo) => TypedData | null;

export class FunctionTimeoutError extends Error {
  override readonly name = "FunctionTimeoutError";
}

interface Running {
  readonly fn: HostedFunction;
  readonly startedAt: number;
  readonly expire: (error: Error) => void;
}

const noHookData: HookData = Object.freeze({});
const sweepMs = 500;

export const hostedFunction = (registered: RegisteredFunction): HostedFunction | undefined => {
  const bindings = Object.entries(registered.metadata.bindings).map(([name, binding]) => ({
    name,
    binding,
  }));
  const trigger = bindings.find(({ binding }) => /trigger$/i.test(binding.type));
  if (trigger === undefined) return undefined;
  return {
    ...registered,
    name: registered.metadata.name,
    triggerName: trigger.name,
    trigger: trigger.binding,
    inputs: bindings.filter((item) => item !== trigger && item.binding.direction === "in"),
    outputs: bindings.filter((item) => item.binding.direction === "out"),
  };
};

/** A trace context of this invocation's own, where the caller sent none. */
const newTraceContext = (invocationId: string): TraceContext => {
  const traceId = invocationId.replaceAll("-", "");
  return {
    traceParent: `00-${traceId}-${traceId.slice(16)}-00`,
    traceState: "",
    attributes: {},
  };
};

export class Invoker {
  readonly #app: LoadedApp;
  readonly #log: HostLog;
  readonly #timeoutMs: number;
  readonly #inputValue: InputValue;
  readonly #running = new Map<string, Running>();
  readonly #sweep: NodeJS.Timeout;
  #onIdle: (() => void) | undefined;

  constructor(app: LoadedApp, log: HostLog, timeoutMs: number, inputValue: InputValue) {
    this.#app = app;
    this.#log = log;
    this.#timeoutMs = timeoutMs;
    this.#inputValue = inputValue;
    this.#sweep = setInterval(() => this.#expireOverdue(), sweepMs).unref();
  }

  get runningCount(): number {
    return this.#running.size;
  }

  /** Resolves to the outcome, or rejects with what the function threw or with a time-out. */
  invoke(fn: HostedFunction, call: Call): Promise<Outcome> {
    const invocationId = call.invocationId ?? randomUUID();
    return new Promise((resolve, reject) => {
      this.#running.set(invocationId, { fn, startedAt: Date.now(), expire: reject });
      this.#run(fn, invocationId, call)
        .then(resolve, reject)
        .finally(() => {
          this.#running.delete(invocationId);
          if (this.#running.size === 0) this.#onIdle?.();
        });
    });
  }

  async #run(fn: HostedFunction, invocationId: string, call: Call): Promise<Outcome> {
    const hookData: HookData = this.#hasHooks() ? {} : noHookData;
    const core = this.#coreContext(fn, invocationId, call, hookData);
    const made = this.#app.model.getInvocationModel(core.context);
    const model = made instanceof Promise ? await made : made;
    const args = await model.getArguments();
    core.invocationContext = args.context;
    if ("liveTrigger" in call) args.inputs[0] = call.liveTrigger;
    call.onContext?.(args.context);
    const result = this.#hasHooks()
      ? await this.#runWithHooks(fn, model, args, core.context, hookData)
      : await model.invokeFunction(args.context, args.inputs, fn.callback);
    return {
      invocationId,
      result,
      respond: (value) => model.getResponse(args.context, value),
    };
  }

  #hasHooks(): boolean {
    return this.#app.hooks.has("preInvocation") || this.#app.hooks.has("postInvocation");
  }

  async #runWithHooks(
    fn: HostedFunction,
    model: InvocationModel,
    args: { readonly context: unknown; readonly inputs: unknown[] },
    core: CoreInvocationContext,
    hookData: HookData,
  ): Promise<unknown> {
    const { hooks } = this.#app;
    core.state = "preInvocationHooks";
    const before = await hooks.runPreInvocation(
      { inputs: args.inputs, functionCallback: fn.callback },
      hookData,
      args.context,
    );
    let result: unknown = null;
    let error: unknown = null;
    core.state = "invocation";
    try {
      result = await model.invokeFunction(args.context, before.inputs, before.functionCallback);
    } catch (thrown) {
      error = thrown;
    }
    core.state = "postInvocationHooks";
    const after = await hooks.runPostInvocation(
      { inputs: before.inputs, result, error },
      hookData,
      args.context,
    );
    if (after.error !== null && after.error !== undefined) throw after.error as Error; // An app may throw anything: it is passed on as it is.
    return after.result;
  }

  #coreContext(
    fn: HostedFunction,
    invocationId: string,
    call: Call,
    hookData: HookData,
  ): { readonly context: CoreInvocationContext; invocationContext: unknown } {
    const source = { functionName: fn.name, invocationId };
    // A live trigger needs no row: asked for one, a streaming library would wait for its server.
    const inputData: { name: string; data: TypedData | null }[] = [];
    if (call.trigger !== undefined) inputData.push({ name: fn.triggerName, data: call.trigger });
    for (const { name, binding } of fn.inputs)
      inputData.push({ name, data: this.#inputValue(binding) });
    const core = {
      invocationContext: undefined as unknown,
      context: {
        invocationId,
        metadata: fn.metadata satisfies FunctionMetadata,
        request: {
          invocationId,
          functionId: fn.name,
          inputData,
          traceContext: call.traceContext ?? newTraceContext(invocationId),
          ...(call.triggerMetadata && { triggerMetadata: call.triggerMetadata }),
          ...(call.retryContext && { retryContext: call.retryContext }),
        },
        log: (level, category, message) => {
          let entry = { level, message };
          if (this.#app.hooks.has("log")) {
            const context = core.invocationContext;
            entry = this.#app.hooks.runLog(entry, category, { hookData, context });
          }
          this.#log.invocation(source, entry.level, category, entry.message);
        },
      } as CoreInvocationContext,
    };
    return core;
  }

  /** A function that runs too long is given up; in one process it cannot be stopped. */
  #expireOverdue(): void {
    const latestStart = Date.now() - this.#timeoutMs;
    for (const [invocationId, { fn, startedAt, expire }] of this.#running) {
      if (startedAt > latestStart) return;
      this.#running.delete(invocationId);
      const seconds = this.#timeoutMs / 1000;
      expire(new FunctionTimeoutError(`${fn.name} ran longer than ${seconds} s and is given up.`));
    }
  }

  /** Resolves when nothing runs any more, at the latest after `timeoutMs`. */
  async drain(timeoutMs: number): Promise<void> {
    clearInterval(this.#sweep);
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
