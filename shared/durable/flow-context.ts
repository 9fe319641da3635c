/** Runs a flow's body on the Durable Functions library. */
import {
  RetryOptions,
  type OrchestrationContext,
  type Task,
  type TimerTask,
} from "durable-functions";
import type { z } from "zod";
import { refusal, success } from "../domain/outcome.js";
import type { LogFields, Logger } from "../platform/logger.js";
import { meters } from "../platform/telemetry/meters.js";
import {
  incomingParent,
  isSampled,
  soundTraceParent,
  traceIdOf,
} from "../platform/telemetry/trace-context.js";
import { tracing } from "../platform/telemetry/tracing.js";
import {
  Again,
  type Flow,
  type FlowContext,
  type FlowEvent,
  type RetryPolicy,
  type Step,
  type Waiting,
  type Woken,
} from "./flow.js";

type Durable = OrchestrationContext["df"];

const retryOptions = (policy: RetryPolicy): RetryOptions => {
  const options = new RetryOptions(policy.firstMs, policy.attempts);
  options.backoffCoefficient = policy.coefficient;
  options.maxRetryIntervalInMilliseconds = policy.maximumMs;
  return options;
};

/** Yields one task of the library; what comes back is checked by who asked for it. */
function* settled(task: Task): Waiting<unknown> {
  return yield task;
}

function* runStep<Out extends z.ZodType>(
  df: Durable,
  { name, input: schema, output, retry }: Step<z.ZodType, Out>,
  input: unknown,
): Waiting<z.output<Out>> {
  const task = df.callActivityWithRetry(name, retryOptions(retry), schema.parse(input));
  return output.parse(yield* settled(task));
}

function* attemptStep<Out extends z.ZodType>(
  df: Durable,
  step: Step<z.ZodType, Out>,
  input: unknown,
) {
  let result: unknown;
  try {
    result = yield* settled(
      df.callActivityWithRetry(step.name, retryOptions(step.retry), step.input.parse(input)),
    );
  } catch (error) {
    return refusal("unavailable", { reason: error instanceof Error ? error.message : "" });
  }
  return success(step.output.parse(result));
}

const wokenBy = <Event extends FlowEvent>(event: Event, raised: unknown): Woken<Event> => {
  const data = event.data.safeParse(raised);
  const woken = data.success ? { event: event.name, data: data.data } : { event: event.name };
  return woken as Woken<Event>; // The compiler can't see that name and data are of one event.
};

function* waitForFirst<Event extends FlowEvent>(
  df: Durable,
  events: readonly Event[],
  until: Date | null,
): Waiting<Woken<Event>> {
  const waiting = events.map((event) => ({ event, task: df.waitForExternalEvent(event.name) }));
  const timer: TimerTask | undefined = until === null ? undefined : df.createTimer(until);
  const tasks: Task[] = waiting.map(({ task }) => task);
  const first = yield* settled(df.Task.any(timer === undefined ? tasks : [...tasks, timer]));
  const winner = waiting.find(({ task }) => task === first);
  if (winner === undefined) return { event: "timeOut" };
  // A timer that is left running would keep the instance from ending until it fires.
  timer?.cancel();
  return wokenBy(winner.event, yield* settled(winner.task));
}

const flowContext = <Input extends z.ZodType>(df: Durable): FlowContext<Input> => ({
  instanceId: df.instanceId,
  now: () => new Date(df.currentUtcDateTime),
  run: (step, input) => runStep(df, step, input),
  attempt: (step, input) => attemptStep(df, step, input),
  waitFor: (events, until) => waitForFirst(df, events, until),
  setStatus: (sentence) => df.setCustomStatus(sentence),
  again: (input) => new Again(input),
});

/** Where a flow begins and ends, a line each time that it does, not when its code is replayed. */
export type FlowLogger = Pick<Logger, "info">;

const namesOf = (flow: string, { df, traceContext }: OrchestrationContext): LogFields => {
  const traceParent = soundTraceParent(traceContext?.traceParent);
  const isKnown = traceParent !== undefined && isSampled(traceParent);
  return {
    ...{ flow, instanceId: df.instanceId },
    ...(isKnown && { traceId: traceIdOf(traceParent) }),
  };
};

/**
 * A flow's span is told at its end: what a turn begins, another turn, or another process, would have to end. A
 * replay comes by here only in a turn that was lost before it was written.
 */
const noteEnd = (
  logger: FlowLogger,
  name: string,
  context: OrchestrationContext,
  beganAt: Date,
  outcome: "completed" | "failed" | "continued",
): void => {
  const { df, traceContext } = context;
  if (df.isReplaying) return;
  logger.info("Flow ended.", { ...namesOf(name, context), outcome });
  if (!tracing.isOn()) return;
  const attributes = { "borsello.flow.name": name, "borsello.flow.outcome": outcome };
  const span = tracing.begin({
    ...{ name: `flow ${name}`, kind: "internal", startedAtMs: beganAt.getTime() },
    parent: incomingParent(undefined, traceContext?.traceParent),
    attributes: { ...attributes, "borsello.flow.instance_id": df.instanceId },
  });
  if (outcome === "failed") span.fail(outcome);
  span.end();
  if (outcome !== "continued") meters.count("borsello.flow.ended", attributes);
};

/** The generator function that Durable Functions registers for this flow. */
export const orchestrator = (flow: Flow, logger: FlowLogger) =>
  function* (context: OrchestrationContext): Waiting<unknown> {
    const input = flow.input.parse(context.df.getInput());
    const beganAt = context.df.currentUtcDateTime;
    if (!context.df.isReplaying) logger.info("Flow begun.", namesOf(flow.name, context));
    let ended: unknown;
    try {
      ended = yield* flow.body(flowContext(context.df), input);
    } catch (error) {
      noteEnd(logger, flow.name, context, beganAt, "failed");
      throw error;
    }
    if (!(ended instanceof Again)) {
      noteEnd(logger, flow.name, context, beganAt, "completed");
      return ended;
    }
    noteEnd(logger, flow.name, context, beganAt, "continued");
    context.df.continueAsNew(flow.input.parse(ended.input));
    return undefined;
  };
