/** Runs one function once: arguments, hooks, the handler, hooks again, as the Node worker does it. */
import { randomUUID } from "node:crypto";
import type { LoadedApp } from "./loader.js";
import type {
  BindingInfo,
  CoreInvocationContext,
  InvocationResponse,
  LogCategory,
  LogLevel,
  TraceContext,
  TypedData,
} from "./core-types.js";
import type { Call, HostedFunction } from "./hosted-function.js";
import type { HookData } from "./hooks.js";
import type { HostLog } from "./log.js";
import { DirectInvocations, throughModel, type WorkerSide } from "./worker-side.js";

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

/** A trace context of this invocation's own, where the caller sent none. */
const newTraceContext = (invocationId: string): TraceContext => {
  const traceId = invocationId.replaceAll("-", "");
  return { traceParent: `00-${traceId}-${traceId.slice(16)}-00`, traceState: "", attributes: {} };
};

/** What the library is given about one invocation: the request, and where to log. */
class CoreContext implements CoreInvocationContext {
  readonly invocationId: string;
  readonly metadata: CoreInvocationContext["metadata"];
  readonly request: CoreInvocationContext["request"];
  readonly hookData: HookData;
  state?: NonNullable<CoreInvocationContext["state"]>;
  /** The context object of the app, once it exists. */
  invocationContext: unknown = undefined;
  readonly #app: LoadedApp;
  readonly #log: HostLog;

  constructor(
    app: LoadedApp,
    log: HostLog,
    fn: HostedFunction,
    request: CoreInvocationContext["request"],
    hookData: HookData,
  ) {
    this.#app = app;
    this.#log = log;
    this.invocationId = request.invocationId;
    this.metadata = fn.metadata;
    this.request = request;
    this.hookData = hookData;
  }

  log(level: LogLevel, category: LogCategory, message: string): void {
    const { hookData, invocationContext: context } = this;
    const entry = this.#app.hooks.has("log")
      ? this.#app.hooks.runLog({ level, message }, category, { hookData, context })
      : { level, message };
    const source = { functionName: this.metadata.name, invocationId: this.invocationId };
    this.#log.invocation(source, entry.level, category, entry.message);
  }
}

export class Invoker {
  readonly #app: LoadedApp;
  readonly #log: HostLog;
  readonly #timeoutMs: number;
  readonly #inputValue: InputValue;
  readonly #direct: DirectInvocations;
  readonly #running = new Map<string, Running>();
  readonly #sweep: NodeJS.Timeout;
  #onIdle: (() => void) | undefined;

  constructor(app: LoadedApp, log: HostLog, timeoutMs: number, inputValue: InputValue) {
    this.#app = app;
    this.#log = log;
    this.#timeoutMs = timeoutMs;
    this.#inputValue = inputValue;
    this.#direct = new DirectInvocations(app);
    this.#sweep = setInterval(() => this.#expireOverdue(), sweepMs).unref();
  }

  get runningCount(): number {
    return this.#running.size;
  }

  /** Resolves to the outcome, or rejects with what the function threw or with a time-out. */
  invoke(fn: HostedFunction, call: Call): Promise<Outcome> {
    const invocationId = call.invocationId ?? randomUUID();
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#running.delete(invocationId);
        if (this.#running.size === 0) this.#onIdle?.();
      };
      this.#running.set(invocationId, { fn, startedAt: Date.now(), expire: reject });
      const work = this.#run(fn, invocationId, call);
      void work.then(end, end);
      work.then(resolve, reject);
    });
  }

  async #run(fn: HostedFunction, invocationId: string, call: Call): Promise<Outcome> {
    const hooked = this.#app.hooks.has("preInvocation") || this.#app.hooks.has("postInvocation");
    const traceContext = call.traceContext ?? newTraceContext(invocationId);
    const core = this.#coreContext(fn, invocationId, call, traceContext, hooked ? {} : noHookData);
    const goesOn = call.onContext !== undefined;
    const worker =
      call.trigger === undefined
        ? this.#direct.begin({ ...call, fn, core, traceContext, goesOn })
        : await throughModel(this.#app, core);
    core.invocationContext = worker.context;
    call.onContext?.(worker.context);
    const result = hooked
      ? await this.#runWithHooks(fn, worker, core)
      : await worker.run(worker.inputs, fn.callback);
    return { invocationId, result, respond: worker.respond };
  }

  async #runWithHooks(fn: HostedFunction, worker: WorkerSide, core: CoreContext): Promise<unknown> {
    const { hooks } = this.#app;
    const { inputs, context } = worker;
    core.state = "preInvocationHooks";
    const before = await hooks.runPreInvocation(
      { inputs, functionCallback: fn.callback },
      core.hookData,
      context,
    );
    const outcome: { result: unknown; error: unknown } = { result: null, error: null };
    core.state = "invocation";
    try {
      outcome.result = await worker.run(before.inputs, before.functionCallback);
    } catch (thrown) {
      outcome.error = thrown;
    }
    core.state = "postInvocationHooks";
    const state = { inputs: before.inputs, ...outcome };
    const after = await hooks.runPostInvocation(state, core.hookData, context);
    if (after.error !== null && after.error !== undefined) throw after.error as Error; // An app may throw anything: it is passed on as it is.
    return after.result;
  }

  #coreContext(
    fn: HostedFunction,
    invocationId: string,
    call: Call,
    traceContext: TraceContext,
    hookData: HookData,
  ): CoreContext {
    const inputData: { name: string; data: TypedData | null }[] = [];
    if (call.trigger !== undefined) inputData.push({ name: fn.triggerName, data: call.trigger });
    for (const { name, binding } of fn.inputs)
      inputData.push({ name, data: this.#inputValue(binding) });
    const request = {
      invocationId,
      functionId: fn.name,
      inputData,
      traceContext,
      ...(call.triggerMetadata && { triggerMetadata: call.triggerMetadata }),
      ...(call.retryContext && { retryContext: call.retryContext }),
    };
    return new CoreContext(this.#app, this.#log, fn, request, hookData);
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
