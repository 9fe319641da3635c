/** A function of the app as the host serves it, and what one call of it brings. */
import type { RegisteredFunction } from "./core-api.js";
import type { BindingInfo, RetryContext, TraceContext, TypedData } from "./core-types.js";

export interface NamedBinding {
  readonly name: string;
  readonly binding: BindingInfo;
}

export interface HostedFunction extends RegisteredFunction {
  readonly name: string;
  readonly trigger: BindingInfo;
  readonly triggerName: string;
  readonly inputs: readonly NamedBinding[];
  readonly outputs: readonly NamedBinding[];
}

/** One call. What triggered it is given in wire form, or as the object that the function gets. */
export type Call = (
  | { readonly trigger: TypedData | null; readonly liveTrigger?: undefined }
  | {
      readonly trigger?: undefined;
      readonly liveTrigger: unknown;
      /** What the context says of the trigger, as values. */
      readonly liveMetadata?: Readonly<Record<string, unknown>>;
    }
) & {
  readonly invocationId?: string;
  readonly triggerMetadata?: Readonly<Record<string, TypedData>>;
  readonly retryContext?: RetryContext;
  readonly traceContext?: TraceContext | undefined;
  /** Gets the context object before the function runs, and may go on with it later. */
  readonly onContext?: ((context: unknown) => void) | undefined;
};

/** Undefined where nothing triggers the function. */
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
    trigger: trigger.binding,
    triggerName: trigger.name,
    inputs: bindings.filter((item) => item !== trigger && item.binding.direction === "in"),
    outputs: bindings.filter((item) => item.binding.direction === "out"),
  };
};
