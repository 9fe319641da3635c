/** The Durable Functions library's own executor, run on a history without a host. */
import { createRequire } from "node:module";
import type { OrchestrationContext } from "durable-functions";
import type { Flow } from "../../shared/durable/flow.js";
import { orchestrator, type FlowLogger } from "../../shared/durable/flow-context.js";

/** One event as the library reads it from a history. */
export interface HistoryEvent {
  readonly EventType: number;
  readonly EventId: number;
  readonly IsPlayed: boolean;
  readonly Timestamp: string;
  readonly [field: string]: unknown;
}

export const eventType = {
  executionStarted: 0,
  taskScheduled: 4,
  taskCompleted: 5,
  taskFailed: 6,
  timerCreated: 10,
  timerFired: 11,
  orchestratorStarted: 12,
  orchestratorCompleted: 13,
  eventRaised: 15,
} as const;

interface Action {
  readonly actionType?: number;
  readonly functionName?: string;
  readonly input?: unknown;
  readonly fireAt?: Date;
  readonly isCanceled?: boolean;
  readonly retryOptions?: {
    readonly firstRetryIntervalInMilliseconds: number;
    readonly backoffCoefficient: number;
    readonly maxRetryIntervalInMilliseconds: number;
  };
}

interface OpenTask {
  readonly id: number | string | false;
  /** A text for the tasks that the library makes by itself to retry: their parent has the action. */
  readonly actionObj: Action | string;
  readonly parent?: { readonly children: readonly OpenTask[]; readonly actionObj: Action };
}

/** What a task id stands for: an activity's call, or a timer (of a wait, or before a retry). */
export type Scheduled =
  | { readonly kind: "activity"; readonly name: string; readonly input: unknown }
  | { readonly kind: "timer"; readonly fireAt: Date }
  | { readonly kind: "pause"; readonly delayMs: number };

export interface Turn {
  readonly ended: "waiting" | "returned" | "again" | "failed";
  readonly output: unknown;
  readonly error: string | null;
  readonly nextInput: unknown;
  readonly customStatus: unknown;
  /** All that was ever asked for, by id. */
  readonly scheduled: ReadonlyMap<number, Scheduled>;
  /** What is neither answered nor cancelled. */
  readonly open: readonly number[];
  /** Names of the events that are waited for. */
  readonly waitingFor: readonly string[];
  /** Names of events that were raised and that nobody has waited for. */
  readonly unconsumed: readonly string[];
  /** How many events of the history were read before the flow ended. */
  readonly processed: number;
}

interface Executor {
  readonly openTasks: Readonly<Record<string, OpenTask>>;
  readonly openEvents: Readonly<Record<string, unknown[]>>;
  readonly deferredTasks: Readonly<Record<string, unknown[]>>;
  trackOpenTask(task: OpenTask): void;
  processEvent(event: object): void;
}

interface Result {
  readonly isDone: boolean;
  readonly actions: readonly (readonly Action[])[];
  readonly output: unknown;
  readonly customStatus: unknown;
}

const load = createRequire(import.meta.url);
const { Orchestrator } = load("durable-functions/lib/src/orchestrations/Orchestrator.js") as {
  Orchestrator: new (body: unknown) => {
    handle(trigger: object, context: object): Promise<Result>;
    taskOrchestrationExecutor: Executor;
  };
};
const continueAsNew = 4;

const inputOf = ({ input }: Action): unknown =>
  typeof input === "string" ? (JSON.parse(input) as unknown) : input;

const pauseBefore = (attempt: number, { retryOptions }: Action): Scheduled => {
  if (retryOptions === undefined) throw new Error("only a step with retries makes pauses");
  const { firstRetryIntervalInMilliseconds: first, backoffCoefficient } = retryOptions;
  const delayMs = first * backoffCoefficient ** (attempt - 1);
  return {
    kind: "pause",
    delayMs: Math.min(delayMs, retryOptions.maxRetryIntervalInMilliseconds),
  };
};

const describe = (task: OpenTask): Scheduled => {
  const { actionObj: own, parent } = task;
  const action = typeof own === "string" ? parent?.actionObj : own;
  if (action === undefined) throw new Error("the library made a task without an action");
  // The tasks of a retried call are call, pause, call, pause …
  const place = typeof own === "string" && parent !== undefined ? parent.children.indexOf(task) : 0;
  if (place % 2 === 1) return pauseBefore((place + 1) / 2, action);
  if (action.fireAt !== undefined) return { kind: "timer", fireAt: action.fireAt };
  return { kind: "activity", name: action.functionName ?? "", input: inputOf(action) };
};

const isCancelled = ({ actionObj }: OpenTask): boolean =>
  typeof actionObj !== "string" && actionObj.isCanceled === true;

const namesOf = (lists: Readonly<Record<string, unknown[]>>): string[] =>
  Object.entries(lists).flatMap(([name, list]) => list.map(() => name));

/** Notes each task as it gets its id, and counts the events that were read. */
const spyOn = (
  executor: Executor,
  scheduled: Map<number, Scheduled>,
  onEvent: () => void,
): void => {
  const process = executor.processEvent.bind(executor);
  executor.processEvent = (event) => {
    onEvent();
    process(event);
  };
  const track = executor.trackOpenTask.bind(executor);
  executor.trackOpenTask = (task) => {
    track(task);
    if (typeof task.id === "number" && !scheduled.has(task.id))
      scheduled.set(task.id, describe(task));
  };
};

/** Long enough that the library never slices a timer: the local engine asks for the same. */
const timerDaysMax = 100_000;

/** One instance as a host presents it. */
export interface InstanceOf {
  readonly flow: Flow;
  readonly instanceId: string;
  readonly input: unknown;
  /** Longer timers are sliced by the library; the genuine engine over Azure Storage asks for 6. */
  readonly timerDaysMax?: number;
  /** Hears of its begin and its end. */
  readonly logger?: FlowLogger;
}

const unheard: FlowLogger = { info: () => undefined };

const triggerOf = (
  { instanceId, input, timerDaysMax: days = timerDaysMax }: InstanceOf,
  history: readonly HistoryEvent[],
) => ({
  history: history.map((event) => ({ ...event, Timestamp: new Date(event.Timestamp) })),
  input: structuredClone(input),
  instanceId,
  isReplaying: false,
  parentInstanceId: "",
  upperSchemaVersion: 1,
  upperSchemaVersionNew: 2,
  longRunningTimerIntervalDuration: "3.00:00:00",
  maximumShortTimerDuration: `${days}.00:00:00`,
  defaultHttpAsyncRequestSleepTimeMillseconds: 30_000,
});

/** Runs the flow on a history, from its first event to its last. */
export const runTurn = async (
  instanceOf: InstanceOf,
  history: readonly HistoryEvent[],
): Promise<Turn> => {
  const scheduled = new Map<number, Scheduled>();
  let processed = 0;
  const instance = new Orchestrator((context: OrchestrationContext) => {
    const { taskOrchestrationExecutor: executor } = instance;
    spyOn(executor, scheduled, () => (processed += 1));
    return orchestrator(instanceOf.flow, instanceOf.logger ?? unheard)(context);
  });
  const { result, error } = await instance
    .handle(triggerOf(instanceOf, history), {})
    .then((value) => ({ result: value, error: null }))
    .catch((reason: unknown) => ({ result: null, error: String(reason) }));
  const { openTasks, openEvents, deferredTasks } = instance.taskOrchestrationExecutor;
  const again = result?.actions.flat().find(({ actionType }) => actionType === continueAsNew);
  const over = again === undefined ? "returned" : "again";
  return {
    ended: result === null ? "failed" : result.isDone ? over : "waiting",
    output: result?.output,
    error,
    nextInput: again === undefined ? undefined : inputOf(again),
    customStatus: result?.customStatus,
    scheduled,
    open: Object.entries(openTasks).flatMap(([id, task]) =>
      isCancelled(task) ? [] : [Number(id)],
    ),
    waitingFor: namesOf(openEvents),
    unconsumed: namesOf(deferredTasks),
    processed,
  };
};
