/** Registers flows and the activities behind their steps with Durable Functions. */
import type { InvocationContext } from "@azure/functions";
import { app } from "durable-functions";
import type { z } from "zod";
import type { FaultPoints } from "../platform/fault-points.js";
import type { Flow, Step } from "./flow.js";
import { incomingParent } from "../platform/telemetry/trace-context.js";
import { tracing } from "../platform/telemetry/tracing.js";
import { orchestrator, type FlowLogger } from "./flow-context.js";

export interface Activity {
  readonly name: string;
  readonly perform: (input: unknown) => Promise<unknown>;
}

/** The effect behind a step. It may run twice, at the same time even: its change must be guarded. */
export const activity = <Input extends z.ZodType, Output extends z.ZodType>(
  step: Step<Input, Output>,
  perform: (input: z.output<Input>) => Promise<z.input<Output>>,
): Activity => ({
  name: step.name,
  perform: async (input) => perform(step.input.parse(input)),
});

/** A part of the trace of whoever started the flow; of one of its own where nobody knows that any more. */
const tracedActivity = <Value>(
  name: string,
  { traceContext }: InvocationContext,
  work: () => Promise<Value>,
): Promise<Value> => {
  if (!tracing.isOn()) return work();
  const parent = incomingParent(undefined, traceContext?.traceParent);
  return tracing.within({ name: `activity ${name}`, kind: "internal", parent }, work);
};

const assertComplete = (flows: readonly Flow[], activities: readonly Activity[]): void => {
  const names = new Set(activities.map(({ name }) => name));
  if (names.size < activities.length) throw new Error("two activities have one name");
  for (const flow of flows)
    for (const { name } of flow.steps)
      // A host waits for ever for an activity that nobody registered, so this is found at the start.
      if (!names.has(name)) throw new Error(`flow ${flow.name}: no activity does its step ${name}`);
};

/** The fault point `activity.NAME.done` is the worst moment: all is done, and the engine knows nothing. */
export const registerFlows = (
  flows: readonly Flow[],
  activities: readonly Activity[],
  faults: FaultPoints,
  logger: FlowLogger,
): void => {
  assertComplete(flows, activities);
  for (const flow of flows) app.orchestration(flow.name, orchestrator(flow, logger));
  for (const { name, perform } of activities)
    app.activity(name, {
      handler: (input: unknown, context: InvocationContext) =>
        tracedActivity(name, context, async () => {
          const result = await perform(input);
          faults.hit(`activity.${name}.done`);
          return result;
        }),
    });
};
