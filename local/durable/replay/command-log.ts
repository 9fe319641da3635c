/** Reads from the library's executor which sequence number it gave to which task. */
import {
  actionCode,
  commandOf,
  isAction,
  lockSetOf,
  retryDelayMs,
  retryOptions,
  type Command,
} from "./commands.js";
import { isRecord, type HistoryEvent } from "../protocol/protocol.js";

/** The fields of the library's executor that tell what was asked for and what is still open. */
export interface LibraryExecutor {
  readonly sequenceNumber: number;
  readonly actions: readonly unknown[];
  readonly openTasks: Readonly<Record<string, unknown>>;
  readonly openEvents: Readonly<Record<string, unknown>>;
  readonly deferredTasks: Readonly<Record<string, readonly unknown[]>>;
  readonly exception: unknown;
  readonly output: unknown;
  readonly orchestratorReturned: boolean;
  readonly willContinueAsNew: boolean;
  readonly context: { readonly customStatus?: unknown };
}

/** An executor that can be given further events one by one, as it gives them to itself. */
export interface SteppableExecutor extends LibraryExecutor {
  _isReplaying: boolean;
  processEvent(event: HistoryEvent): void;
  isDoneExecuting(): boolean;
}

const isExecutor = (value: unknown): value is LibraryExecutor =>
  isRecord(value) &&
  typeof value["sequenceNumber"] === "number" &&
  Array.isArray(value["actions"]) &&
  isRecord(value["openTasks"]) &&
  isRecord(value["openEvents"]) &&
  isRecord(value["deferredTasks"]) &&
  isRecord(value["context"]);

/** Another version of the library may have no such methods: then every turn is a replay. */
export const isSteppable = (executor: LibraryExecutor): executor is SteppableExecutor =>
  "_isReplaying" in executor &&
  typeof executor._isReplaying === "boolean" &&
  "processEvent" in executor &&
  typeof executor.processEvent === "function" &&
  "isDoneExecuting" in executor &&
  typeof executor.isDoneExecuting === "function";

/** The executor behind an invocation's context, once the library has begun to run. */
export const executorOf = (context: unknown): LibraryExecutor | undefined => {
  const durable = isRecord(context) ? context["df"] : undefined;
  const executor = isRecord(durable) ? durable["taskOrchestratorExecutor"] : undefined;
  return isExecutor(executor) ? executor : undefined;
};

export interface IssuedCommand {
  readonly command: Command;
  /** The index of the event upon which the code asked. */
  readonly at: number;
}

/** A later attempt, or the pause before it: the library marks both with an empty task. */
const retryCommand = (id: number, task: Record<string, unknown>): Command | undefined => {
  const parent = task["parent"];
  if (!isRecord(parent) || !isRecord(parent["innerTask"])) return undefined;
  const first = parent["innerTask"]["id"];
  const retryOf = typeof first === "number" ? first : id;
  const options = retryOptions(parent["retryOptions"]);
  if (parent["isWaitingOnTimer"] !== true)
    return commandOf(parent["innerTask"]["actionObj"], { id, retryOf });
  const failures = Number(parent["attemptNumber"]) - 1;
  const delayMs = options === undefined ? 0 : retryDelayMs(options, failures);
  return { kind: "pause", id, retryOf, delayMs, ...(options && { retry: options }) };
};

/**
 * The commands of one run, with the library's own numbers. Numbers cannot be derived from the list
 * of actions alone: a task may be numbered long after an action was recorded, and a task that is
 * yielded again is not recorded again. So the executor is read after every single event.
 */
export class CommandLog {
  #issued: IssuedCommand[] = [];
  #numbersSeen = 0;
  #actionsSeen = 0;
  #locked: readonly string[] = [];

  /** What was asked for since this was called last, in the order of the numbers. */
  take(): readonly IssuedCommand[] {
    const issued = this.#issued;
    this.#issued = [];
    return issued;
  }

  observe(executor: LibraryExecutor, at: number): void {
    const { actions, sequenceNumber } = executor;
    if (this.#numbersSeen === sequenceNumber && this.#actionsSeen === actions.length) return;
    const recorded = actions.slice(this.#actionsSeen);
    this.#actionsSeen = actions.length;
    const unclaimed: number[] = [];
    for (; this.#numbersSeen < sequenceNumber; this.#numbersSeen++) {
      const task = executor.openTasks[String(this.#numbersSeen)];
      if (isRecord(task)) this.#add(this.#taskCommand(this.#numbersSeen, task), at);
      else unclaimed.push(this.#numbersSeen);
    }
    if (unclaimed.length === 0) return;
    const known = this.#issued.length;
    this.#fireAndForget(recorded, unclaimed, at);
    // In the order in which the code asked: a signal reaches an entity before a later call does.
    if (this.#issued.length > known) this.#issued.sort((a, b) => a.command.id - b.command.id);
  }

  #add(command: Command | undefined, at: number): void {
    if (command === undefined) return;
    if (command.kind === "lock") this.#locked = command.lockSet;
    this.#issued.push({ command, at });
  }

  #taskCommand(id: number, task: Record<string, unknown>): Command | undefined {
    const action = task["actionObj"];
    return action === "noOp" ? retryCommand(id, task) : commandOf(action, { id });
  }

  /** Signals and releases take numbers, too, but nobody waits for them: no task stands for them. */
  #fireAndForget(actions: readonly unknown[], numbers: number[], at: number): void {
    for (const action of actions) {
      if (isAction(action, actionCode.SignalEntity))
        this.#add(commandOf(action, { id: numbers.shift() ?? -1 }), at);
      if (isAction(action, actionCode.LockEntities)) this.#locked = lockSetOf(action);
      if (!isAction(action, actionCode.ReleaseEntities)) continue;
      for (const target of this.#locked)
        this.#add({ kind: "release", id: numbers.shift() ?? -1, target }, at);
    }
  }
}
