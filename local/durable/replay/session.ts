/** An orchestrator's code, stopped where it waits: later turns feed it only what is new to it. */
import {
  CommandLog,
  executorOf,
  isSteppable,
  type IssuedCommand,
  type LibraryExecutor,
} from "./command-log.js";
import {
  actionCode,
  isAction,
  quotedInput,
  type CreateTimer,
  type RetryPause,
} from "./commands.js";
import { errorLine } from "../../log-text.js";
import { passedOnFailure, type FailureDetails } from "../protocol/failure-details.js";
import { errorMessage, eventCode, jsonText, type HistoryEvent } from "../protocol/protocol.js";

export type CodeEnd =
  | { readonly kind: "waiting" }
  | { readonly kind: "returned"; readonly output: string | undefined }
  | { readonly kind: "continued"; readonly input: string | undefined }
  | {
      readonly kind: "threw";
      readonly message: string;
      readonly stack: string;
      /** Type and message, for the log. */
      readonly error: string;
      readonly failure?: FailureDetails | undefined;
    };

/** What the code did upon the events that it was given. */
export interface Played {
  readonly issued: readonly IssuedCommand[];
  readonly end: CodeEnd;
  /** JSON text, or undefined where the orchestrator has set none. */
  readonly customStatus: string | undefined;
}

interface Rejection {
  readonly error: unknown;
}

/** What follows the first words of a failed task's message is its whole exception, or its stack. */
const exceptionFollows = / \n [^]*$/u;

export const threw = (error: unknown): CodeEnd => ({
  kind: "threw",
  message: errorMessage(error),
  stack: error instanceof Error ? (error.stack ?? "") : "",
  error: errorLine(error).replace(exceptionFollows, ""),
  failure: passedOnFailure(error),
});

const isEmpty = (record: object): boolean => Object.keys(record).length === 0;

const endOf = (executor: LibraryExecutor, rejection: Rejection | undefined): CodeEnd => {
  if (executor.exception !== undefined) return threw(executor.exception);
  if (rejection !== undefined) return threw(rejection.error);
  if (executor.willContinueAsNew) {
    const action = executor.actions.find((each) => isAction(each, actionCode.ContinueAsNew));
    const input = isAction(action, actionCode.ContinueAsNew) ? action["input"] : undefined;
    return { kind: "continued", input: quotedInput(input) };
  }
  if (executor.orchestratorReturned) return { kind: "returned", output: jsonText(executor.output) };
  return isEmpty(executor.openTasks) && isEmpty(executor.openEvents)
    ? threw("it waits for a task that has ended already, or ended without a result.")
    : { kind: "waiting" };
};

const lastStart = (events: readonly HistoryEvent[]): number =>
  events.findLastIndex(({ EventType }) => EventType === eventCode.OrchestratorStarted);

export class Session {
  readonly #log = new CommandLog();
  /** Timers and pauses that the code has asked for, as long as they may be open. */
  readonly #waits = new Map<number, CreateTimer | RetryPause>();
  #context: unknown;
  #executor: LibraryExecutor | undefined;
  /** The index of the last event that the code has looked at; it looks at none after its end. */
  #position = -1;
  /** How many events of the history it was given so far. */
  #given = 0;
  #isBroken = false;

  /** How many events of the execution's history need not be given any more. */
  get given(): number {
    return this.#given;
  }

  /** False where only a new replay can tell how the code goes on. */
  get canResume(): boolean {
    return !this.#isBroken && this.#executor !== undefined && isSteppable(this.#executor);
  }

  /** The invocation's context object, from which the library's executor is read. */
  enter(context: unknown): void {
    this.#context = context;
  }

  /** The library is about to look at the event with this index. */
  visit(index: number): void {
    this.#observe();
    this.#position = index;
  }

  /** The library has played all `count` events of the history, or was stopped by an error. */
  played(count: number, rejection: Rejection | undefined): Played {
    this.#given = count;
    this.#isBroken = rejection !== undefined;
    if (this.#executor === undefined) {
      const unknown = "the installed durable-functions is not understood.";
      return { issued: [], end: threw(rejection?.error ?? unknown), customStatus: undefined };
    }
    return this.#result(this.#executor, rejection);
  }

  /** Plays the events that follow those given so far, exactly as a replay would come to them. */
  resume(events: readonly HistoryEvent[]): Played {
    const executor = this.#executor;
    if (executor === undefined || !isSteppable(executor))
      throw new Error("This orchestration has to be replayed.");
    const replayed = lastStart(events);
    let rejection: Rejection | undefined;
    try {
      for (const [index, event] of events.entries()) {
        if (executor.isDoneExecuting()) break;
        this.visit(this.#given + index);
        executor._isReplaying = index < replayed;
        executor.processEvent(event);
      }
    } catch (error) {
      rejection = { error };
    }
    return this.played(this.#given + events.length, rejection);
  }

  /** Timers among `open` that the app has cancelled since they were set. */
  cancelled(open: ReadonlyMap<number, unknown>): number[] {
    const ids: number[] = [];
    for (const [id, wait] of this.#waits)
      if (wait.kind === "timer" && open.has(id) && wait.isCanceled()) ids.push(id);
    return ids;
  }

  /** A pause before an attempt that nobody waits for any more keeps no orchestration open. */
  get pauses(): number[] {
    return [...this.#waits.values()].flatMap(({ kind, id }) => (kind === "pause" ? [id] : []));
  }

  closed(timers: readonly number[]): void {
    for (const id of timers) this.#waits.delete(id);
  }

  /** Raised events that the code has not waited for: the last n of a name with n in the queue. */
  unconsumed(history: readonly HistoryEvent[]): HistoryEvent[] {
    const queues = Object.entries(this.#executor?.deferredTasks ?? {});
    const waiting = new Map(queues.map(([name, queue]) => [name, queue.length]));
    const left = history.slice(this.#position + 1);
    for (const event of history.slice(0, this.#position + 1).reverse()) {
      const count = waiting.get(event.Name ?? "") ?? 0;
      if (event.EventType !== eventCode.EventRaised || count === 0) continue;
      waiting.set(event.Name ?? "", count - 1);
      left.unshift(event);
    }
    return left.filter((event) => event.EventType === eventCode.EventRaised);
  }

  #observe(): void {
    this.#executor ??= executorOf(this.#context);
    if (this.#executor !== undefined) this.#log.observe(this.#executor, this.#position);
  }

  #result(executor: LibraryExecutor, rejection: Rejection | undefined): Played {
    try {
      this.#observe();
      const custom = executor.context.customStatus;
      return {
        issued: this.#taken(),
        end: endOf(executor, rejection),
        customStatus: Boolean(custom) ? jsonText(custom) : undefined,
      };
    } catch (error) {
      // A value that has no JSON form (a cycle, a bigint) fails the orchestration, not the engine.
      return { issued: this.#taken(), end: threw(error), customStatus: undefined };
    }
  }

  #taken(): readonly IssuedCommand[] {
    const issued = this.#log.take();
    for (const { command } of issued)
      if (command.kind === "timer" || command.kind === "pause")
        this.#waits.set(command.id, command);
    return issued;
  }
}
