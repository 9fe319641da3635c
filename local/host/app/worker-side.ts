/**
 * What the Node worker does around a handler: makes its arguments, runs it, turns its result into
 * wire form. The library's invocation model does all of it; where the trigger is a value already
 * (HTTP and all durable functions), the context is made directly, from the library's own class,
 * because the model's share of a small request would be most of its cost.
 */
import { format } from "node:util";
import type { EffectiveFunctionOptions } from "@azure/functions";
import type { LoadedApp } from "./loader.js";
import type {
  CoreInvocationContext,
  FunctionCallback,
  InvocationModel,
  InvocationResponse,
  LogLevel,
  TraceContext,
} from "./core-types.js";
import type { HostedFunction, NamedBinding } from "./hosted-function.js";

export interface WorkerSide {
  /** The context object that the handler gets. */
  readonly context: unknown;
  readonly inputs: unknown[];
  readonly run: (inputs: unknown[], callback: FunctionCallback) => Promise<unknown>;
  readonly respond: (result: unknown) => Promise<InvocationResponse>;
}

/** All that a direct invocation needs to know besides its core context. */
export interface DirectInvocation {
  readonly fn: HostedFunction;
  readonly core: CoreInvocationContext;
  readonly liveTrigger: unknown;
  readonly liveMetadata?: Readonly<Record<string, unknown>>;
  readonly traceContext: TraceContext;
  /** The function's code may go on with this context after it has answered. */
  readonly goesOn: boolean;
}

export const throughModel = async (
  app: LoadedApp,
  core: CoreInvocationContext,
): Promise<WorkerSide> => {
  const model = await app.model.getInvocationModel(core);
  const { context, inputs } = await model.getArguments();
  return {
    context,
    inputs,
    run: (given, callback) => model.invokeFunction(context, given, callback),
    respond: (result) => model.getResponse(context, result),
  };
};

/** The options of a function as its context shows them. */
const effectiveOptions = (fn: HostedFunction): Partial<EffectiveFunctionOptions> => {
  const named = ({ name, binding }: NamedBinding): NamedBinding["binding"] & { name: string } => ({
    ...binding,
    name,
  });
  const answer = fn.outputs.find(({ name }) => name === "$return");
  return {
    trigger: named({ name: fn.triggerName, binding: fn.trigger }),
    ...(answer !== undefined && { return: named(answer) }),
    extraInputs: fn.inputs.map(named),
    extraOutputs: fn.outputs.filter((output) => output !== answer).map(named),
  };
};

export class DirectInvocations {
  readonly #app: LoadedApp;
  readonly #options = new Map<HostedFunction, Partial<EffectiveFunctionOptions>>();

  constructor(app: LoadedApp) {
    this.#app = app;
  }

  #optionsOf(fn: HostedFunction): Partial<EffectiveFunctionOptions> {
    let options = this.#options.get(fn);
    if (options === undefined) {
      options = effectiveOptions(fn);
      this.#options.set(fn, options);
    }
    return options;
  }

  begin(invocation: DirectInvocation): WorkerSide {
    const { fn, core, liveTrigger, liveMetadata, traceContext, goesOn } = invocation;
    let isDone = false;
    const logHandler = (level: LogLevel, ...args: unknown[]): void => {
      if (isDone && core.state !== "postInvocationHooks") warnLateLog(core);
      core.log(level, "user", format(...args));
    };
    const context = new this.#app.library.InvocationContext({
      invocationId: core.invocationId,
      functionName: fn.name,
      options: this.#optionsOf(fn),
      traceContext,
      ...(liveMetadata !== undefined && { triggerMetadata: { ...liveMetadata } }),
      logHandler,
    });
    for (const { name, data } of core.request.inputData)
      context.extraInputs.set(
        name,
        data?.string === undefined ? undefined : JSON.parse(data.string),
      );
    let model: InvocationModel | Promise<InvocationModel> | undefined;
    return {
      context,
      inputs: [liveTrigger],
      run: async (inputs, callback) => {
        try {
          return await callback(...inputs, context);
        } finally {
          isDone = !goesOn;
        }
      },
      respond: async (result) => {
        model ??= this.#app.model.getInvocationModel(core);
        return (await model).getResponse(context, result);
      },
    };
  }
}

const warnLateLog = (core: CoreInvocationContext): void => {
  const { name } = core.metadata;
  core.log(
    "warning",
    "system",
    `The function ${name} logs after it has ended: something in it is not awaited.`,
  );
};
