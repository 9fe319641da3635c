/** What the durable engine asks of the host: the app's durable functions, by kind and name. */

export type DurableKind = "orchestrator" | "activity" | "entity";

/**
 * The loaded app as the engine sees it. Names are matched ignoring case (one name space).
 * Every `run…` call is one invocation with its own invocation id and hooks.
 */
export interface DurableFunctions {
  /** The name as it was registered, or undefined where the app has no such function. */
  find(kind: DurableKind, name: string): string | undefined;
  names(kind: DurableKind): readonly string[];
  /**
   * One turn. `trigger` is the live object of the protocol; resolves to the live result object or
   * rejects with what the library threw. `onContext` gets the invocation's context object before
   * the function runs: the engine reads from it which id the library gave to which task. `traceParent` is
   * the trace of whoever started the instance.
   */
  runOrchestrator(
    name: string,
    trigger: object,
    onContext: (context: unknown) => void,
    traceParent?: string,
  ): Promise<unknown>;
  /** `input` is the value's JSON text (undefined: no input); resolves to the handler's own result. */
  runActivity(
    name: string,
    input: string | undefined,
    instanceId: string,
    traceParent?: string,
  ): Promise<unknown>;
  /**
   * One batch of operations; `trigger` and the result are the live objects of the protocol. `onThrown`
   * gets the errors of operations, in order, before the library has made JSON of them.
   */
  runEntity(name: string, trigger: object, onThrown: (error: Error) => void): Promise<unknown>;
}
