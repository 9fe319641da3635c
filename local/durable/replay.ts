/** Plays an orchestrator over its history and watches, event by event, what it asks for. */
import { CommandLog, executorOf, type IssuedCommand, type LibraryExecutor } from "./command-log.js";
import { actionCode, isAction, quotedInput } from "./commands.js";
import type { DurableFunctions } from "./functions.js";
import { errorMessage, eventCode, jsonText, type HistoryEvent } from "./protocol.js";

export type ReplayEnd =
  | { readonly kind: "waiting" }
  | { readonly kind: "returned"; readonly output: string | undefined }
  | { readonly kind: "continued"; readonly input: string | undefined }
  | { readonly kind: "threw"; readonly message: string; readonly stack: string };

export interface Replay {
  readonly commands: readonly IssuedCommand[];
  readonly end: ReplayEnd;
  /** JSON text, or undefined where the orchestrator has set none. */
  readonly customStatus: string | undefined;
  /** Raised events that the orchestrator has not waited for so far. */
  readonly unconsumed: readonly HistoryEvent[];
}

export interface ReplaySubject {
  readonly name: string;
  readonly instanceId: string;
  readonly parentId: string | undefined;
  readonly input: string | undefined;
  readonly isReplaying: boolean;
}

/** The library slices timers longer than this itself; ours have no limit, so it never should. */
const unlimitedTimer = "10000000.00:00:00";

const triggerFor = (subject: ReplaySubject, history: readonly HistoryEvent[]): object => {
  const trigger = {
    input: subject.input === undefined ? null : (JSON.parse(subject.input) as unknown),
    instanceId: subject.instanceId,
    isReplaying: subject.isReplaying,
    parentInstanceId: subject.parentId,
    upperSchemaVersion: 1,
    upperSchemaVersionNew: 3,
    longRunningTimerIntervalDuration: unlimitedTimer,
    maximumShortTimerDuration: unlimitedTimer,
    defaultHttpAsyncRequestSleepTimeMillseconds: 30_000,
  };
  // Not enumerable, because the library searches all enumerable values for dates given as text.
  return Object.defineProperty(trigger, "history", { value: history, enumerable: false });
};

/** Calls `visit` with the index of an event just before the library reads it. */
const watched = (
  history: readonly HistoryEvent[],
  visit: (index: number) => void,
): readonly HistoryEvent[] =>
  new Proxy(history, {
    get: (target, property) => {
      if (typeof property === "string" && property >= "0" && property < ":")
        visit(Number(property));
      const value: unknown = Reflect.get(target, property);
      return value;
    },
  });

/** Of each name the last n raised events, where n still wait in the library's queue of that name. */
const unconsumedEvents = (
  executor: LibraryExecutor,
  history: readonly HistoryEvent[],
  lastIndex: number,
): HistoryEvent[] => {
  const waiting = new Map(
    Object.entries(executor.deferredTasks).map(([name, queue]) => [name, queue.length]),
  );
  const left = history.slice(lastIndex + 1);
  for (const event of history.slice(0, lastIndex + 1).reverse()) {
    const count = waiting.get(event.Name ?? "") ?? 0;
    if (event.EventType !== eventCode.EventRaised || count === 0) continue;
    waiting.set(event.Name ?? "", count - 1);
    left.unshift(event);
  }
  return left.filter((event) => event.EventType === eventCode.EventRaised);
};

const threw = (error: unknown): ReplayEnd => ({
  kind: "threw",
  message: errorMessage(error),
  stack: error instanceof Error ? (error.stack ?? "") : "",
});

const endOf = (executor: LibraryExecutor, rejection: { error: unknown } | undefined): ReplayEnd => {
  if (executor.exception !== undefined) return threw(executor.exception);
  if (rejection !== undefined) return threw(rejection.error);
  if (executor.willContinueAsNew) {
    const action = executor.actions.find((each) => isAction(each, actionCode.ContinueAsNew));
    const input = isAction(action, actionCode.ContinueAsNew) ? action["input"] : undefined;
    return { kind: "continued", input: quotedInput(input) };
  }
  if (executor.orchestratorReturned) return { kind: "returned", output: jsonText(executor.output) };
  const waits = [...Object.keys(executor.openTasks), ...Object.keys(executor.openEvents)];
  return waits.length > 0
    ? { kind: "waiting" }
    : threw("it waits for a task that has ended already, or ended without a result.");
};

/** One turn of the app's code over the whole history. Never rejects: failures are an end, too. */
export const replay = async (
  functions: DurableFunctions,
  subject: ReplaySubject,
  history: readonly HistoryEvent[],
): Promise<Replay> => {
  let context: unknown;
  let position = -1;
  const log = new CommandLog();
  const observe = (): void => {
    const executor = executorOf(context);
    if (executor !== undefined) log.observe(executor, position);
  };
  const spied = watched(history, (index) => {
    observe();
    position = index;
  });
  const rejection = await functions
    .runOrchestrator(subject.name, triggerFor(subject, spied), (value) => {
      context = value;
    })
    .then(() => undefined)
    .catch((error: unknown) => ({ error }));
  const executor = executorOf(context);
  if (executor === undefined) {
    const end = threw(rejection?.error ?? "the installed durable-functions is not understood.");
    return { commands: [], end, customStatus: undefined, unconsumed: [] };
  }
  try {
    observe();
    const custom = executor.context.customStatus;
    return {
      commands: log.commands,
      end: endOf(executor, rejection),
      customStatus: Boolean(custom) ? jsonText(custom) : undefined,
      unconsumed: unconsumedEvents(executor, history, position),
    };
  } catch (error) {
    // A value that has no JSON form (a cycle, a bigint) fails the orchestration, not the engine.
    return { commands: log.commands, end: threw(error), customStatus: undefined, unconsumed: [] };
  }
};
