/** Starts flows, raises events to them, so that a repeated message does no harm, and purges those of long ago. */
import { OrchestrationRuntimeStatus, type DurableClient } from "durable-functions";
import type { z } from "zod";
import { DependencyUnavailableError } from "../platform/dependency-unavailable.js";
import { meters } from "../platform/telemetry/meters.js";
import { tracing, type Attributes } from "../platform/telemetry/tracing.js";
import type { Flow, FlowEvent } from "./flow.js";

/** What this module uses of the library's client. */
export type FlowClient = Pick<DurableClient, "getStatus" | "startNew" | "raiseEvent">;

/** How an earlier life ended; `stopped`: by an operator's hand. */
export type FlowEnd = "completed" | "failed" | "stopped";
export type InstanceState = "absent" | "running" | FlowEnd;

const ends: Readonly<Record<string, FlowEnd>> = {
  Completed: "completed",
  Failed: "failed",
  Terminated: "stopped",
  Canceled: "stopped",
};

const says = (error: unknown, text: string): boolean =>
  error instanceof Error && error.message.includes(text);

/** The library tells an unknown instance, a start that lost a race and an outage by the error's text alone. */
const isUnknownInstance = (error: unknown): boolean =>
  says(error, "HTTP 404") || says(error, "No instance with ID");
const isAlreadyRunning = (error: unknown): boolean => says(error, "status code: 409");

const isAway = (error: unknown): boolean =>
  error instanceof Error && /\b(?:HTTP|status code:) 50[234]\b/.test(error.message);

/** Gives the engine's outages their name. */
const asking = async <Value>(call: Promise<Value>): Promise<Value> => {
  try {
    return await call;
  } catch (error) {
    if (isAway(error)) throw new DependencyUnavailableError("the durable engine", error);
    throw error;
  }
};

export const instanceState = async (
  client: Pick<FlowClient, "getStatus">,
  instanceId: string,
): Promise<InstanceState> => {
  try {
    const { runtimeStatus } = await asking(client.getStatus(instanceId));
    return ends[runtimeStatus] ?? "running";
  } catch (error) {
    if (isUnknownInstance(error)) return "absent";
    throw error;
  }
};

const flowAttributes = (name: string, instanceId: string): Attributes => ({
  "borsello.flow.name": name,
  "borsello.flow.instance_id": instanceId,
});

export interface FlowStart<Input extends z.ZodType = z.ZodType> {
  readonly flow: Flow<Input>;
  readonly instanceId: string;
  readonly input: z.input<Input>;
  /** Which ends of an earlier life let another one follow; by default only a failure. */
  readonly restartAfter?: readonly FlowEnd[];
}

/** Starts the flow if it is absent; resolves to whether it started. */
export const startOnce = async <Input extends z.ZodType>(
  client: FlowClient,
  { flow, instanceId, input, restartAfter = ["failed"] }: FlowStart<Input>,
): Promise<boolean> => {
  const state = await instanceState(client, instanceId);
  if (state === "running") return false;
  if (state !== "absent" && !restartAfter.includes(state)) return false;
  const started = {
    name: `start_flow ${flow.name}`,
    attributes: flowAttributes(flow.name, instanceId),
  };
  try {
    // The library tells the engine of the span that it is called in.
    await tracing.within({ ...started, kind: "producer" }, () =>
      asking(client.startNew(flow.name, { instanceId, input })),
    );
    meters.count("borsello.flow.started", { "borsello.flow.name": flow.name });
    return true;
  } catch (error) {
    if (isAlreadyRunning(error)) return false;
    throw error;
  }
};

/** Raises the event; resolves to false where no such instance ever ran. A finished one ignores it. */
export const raise = async <Data extends z.ZodType>(
  client: FlowClient,
  instanceId: string,
  event: FlowEvent<string, Data>,
  data: z.input<Data>,
): Promise<boolean> => {
  const raised = {
    name: `raise_event ${event.name}`,
    attributes: { "borsello.flow.instance_id": instanceId },
  };
  try {
    await tracing.part({ ...raised, kind: "producer" }, () =>
      asking(client.raiseEvent(instanceId, event.name, data)),
    );
    return true;
  } catch (error) {
    if (isUnknownInstance(error)) return false;
    throw error;
  }
};

type PurgeFilter = Parameters<DurableClient["purgeInstanceHistoryBy"]>[0];

interface PurgingClient {
  readonly purgeInstanceHistoryBy: (filter: PurgeFilter) => Promise<unknown>;
}

/**
 * Removes the instances begun before then that are completed. Those that failed or were stopped stay for
 * whoever looks after the platform; the tables say what a flow has done.
 */
export const purgeCompleted = async (client: PurgingClient, createdTimeTo: Date): Promise<void> => {
  const runtimeStatus = [OrchestrationRuntimeStatus.Completed];
  const createdTimeFrom = new Date(0);
  await asking(client.purgeInstanceHistoryBy({ createdTimeFrom, createdTimeTo, runtimeStatus }));
};
