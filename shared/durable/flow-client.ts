/** Starts flows and raises events to them, so that a repeated message does no harm. */
import type { DurableClient } from "durable-functions";
import type { z } from "zod";
import type { Flow, FlowEvent } from "./flow.js";

/** What this module uses of the library's client. */
export type FlowClient = Pick<DurableClient, "getStatus" | "startNew" | "raiseEvent">;

const final: readonly string[] = ["Completed", "Failed", "Terminated", "Canceled"];

export type InstanceState = "absent" | "running" | "finished" | "failed";

const says = (error: unknown, text: string): boolean =>
  error instanceof Error && error.message.includes(text);

/** The library tells an unknown instance, and a start that lost a race, by the error's text alone. */
const isUnknownInstance = (error: unknown): boolean =>
  says(error, "HTTP 404") || says(error, "No instance with ID");
const isAlreadyRunning = (error: unknown): boolean => says(error, "status code: 409");

export const instanceState = async (
  client: FlowClient,
  instanceId: string,
): Promise<InstanceState> => {
  try {
    const { runtimeStatus } = await client.getStatus(instanceId);
    if (runtimeStatus.toString() === "Failed") return "failed";
    return final.includes(runtimeStatus) ? "finished" : "running";
  } catch (error) {
    if (isUnknownInstance(error)) return "absent";
    throw error;
  }
};

export interface FlowStart<Input extends z.ZodType = z.ZodType> {
  readonly flow: Flow<Input>;
  readonly instanceId: string;
  readonly input: z.input<Input>;
  /** Which lives that are over may be followed by another: by default only one that failed. */
  readonly restart?: "whenFailed" | "whenOver";
}

/** Starts the flow if it is absent; resolves to whether it started. */
export const startOnce = async <Input extends z.ZodType>(
  client: FlowClient,
  { flow, instanceId, input, restart = "whenFailed" }: FlowStart<Input>,
): Promise<boolean> => {
  const state = await instanceState(client, instanceId);
  if (state === "running") return false;
  if (state === "finished" && restart === "whenFailed") return false;
  try {
    await client.startNew(flow.name, { instanceId, input });
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
  try {
    await client.raiseEvent(instanceId, event.name, data);
    return true;
  } catch (error) {
    if (isUnknownInstance(error)) return false;
    throw error;
  }
};
