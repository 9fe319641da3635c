/** The shapes that `@azure/functions` exchanges with its host through `@azure/functions-core`. */

export type LogLevel =
  "trace" | "debug" | "information" | "warning" | "error" | "critical" | "none";
export type LogCategory = "user" | "system" | "customMetric";

/** One value on its way between host and function; exactly one field is set. */
export interface TypedData {
  readonly string?: string;
  readonly json?: string;
  readonly bytes?: Uint8Array;
  readonly int?: number;
  readonly double?: number;
  readonly collectionString?: { readonly string: readonly string[] };
  readonly http?: HttpData;
}

interface NullableText {
  readonly value: string;
}

/** An HTTP request on its way in, or an HTTP response on its way out. */
export interface HttpData {
  readonly url?: string;
  readonly method?: string;
  readonly nullableParams?: Readonly<Record<string, NullableText>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly statusCode?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly CookieData[];
  readonly body?: TypedData | null;
  /** What the library's request object reads from instead of building a Request of its own. */
  readonly nativeRequest?: unknown;
}

export interface CookieData {
  readonly name: string;
  readonly value: string;
  readonly domain?: NullableText;
  readonly path?: NullableText;
  readonly expires?: { readonly value: { readonly seconds: number } };
  readonly secure?: { readonly value: boolean };
  readonly httpOnly?: { readonly value: boolean };
  readonly sameSite?: string;
  readonly maxAge?: { readonly value: number };
}

/** A trigger, input or output: the app's own options plus direction and type. */
export interface BindingInfo {
  readonly type: string;
  readonly direction: "in" | "out";
  readonly [option: string]: unknown;
}

export interface Duration {
  readonly seconds?: number;
}

export interface RetryOptions {
  readonly maxRetryCount: number;
  readonly retryStrategy: "fixedDelay" | "exponentialBackoff";
  readonly delayInterval?: Duration;
  readonly minimumInterval?: Duration;
  readonly maximumInterval?: Duration;
}

export interface FunctionMetadata {
  readonly name: string;
  readonly bindings: Readonly<Record<string, BindingInfo>>;
  readonly retryOptions?: RetryOptions;
}

export type FunctionCallback = (...args: unknown[]) => unknown;
export type HookName = "appStart" | "appTerminate" | "preInvocation" | "postInvocation" | "log";
export type HookCallback = (context: object) => unknown;

export interface RetryContext {
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly exception?: {
    readonly source: string;
    readonly stackTrace: string;
    readonly message: string;
  };
}

export interface TraceContext {
  readonly traceParent: string;
  readonly traceState: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface InvocationRequest {
  readonly invocationId: string;
  readonly functionId: string;
  readonly inputData: readonly { readonly name: string; readonly data: TypedData | null }[];
  readonly triggerMetadata?: Readonly<Record<string, TypedData>>;
  readonly traceContext?: TraceContext;
  readonly retryContext?: RetryContext;
}

export interface InvocationResponse {
  readonly invocationId: string;
  readonly outputData?: readonly { readonly name: string; readonly data?: TypedData | null }[];
  readonly returnValue?: TypedData | null;
}

export type InvocationState = "preInvocationHooks" | "invocation" | "postInvocationHooks";

/** What the library is given about one invocation. */
export interface CoreInvocationContext {
  readonly invocationId: string;
  readonly request: InvocationRequest;
  readonly metadata: FunctionMetadata;
  state?: InvocationState;
  log(level: LogLevel, category: LogCategory, message: string): void;
}

export interface InvocationArguments {
  readonly context: unknown;
  inputs: unknown[];
}

export interface InvocationModel {
  getArguments(): Promise<InvocationArguments>;
  invokeFunction(context: unknown, inputs: unknown[], callback: FunctionCallback): Promise<unknown>;
  getResponse(context: unknown, result: unknown): Promise<InvocationResponse>;
}

export interface ProgrammingModel {
  readonly name: string;
  readonly version: string;
  getInvocationModel(context: CoreInvocationContext): InvocationModel | Promise<InvocationModel>;
  getCapabilities?(
    capabilities: Record<string, string>,
  ): Record<string, string> | Promise<Record<string, string>>;
}

export interface Disposable {
  dispose(): unknown;
}

/** The module that the library asks for by the name `@azure/functions-core`. */
export interface CoreApi {
  readonly version: string;
  readonly hostVersion: string;
  registerFunction(metadata: FunctionMetadata, callback: FunctionCallback): Disposable;
  registerHook(name: string, callback: HookCallback): Disposable;
  setProgrammingModel(model: ProgrammingModel): void;
  getProgrammingModel(): ProgrammingModel;
  log(level: LogLevel, category: LogCategory, message: string): void;
}
