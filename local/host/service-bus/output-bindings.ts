/** Output bindings: what a function leaves behind besides its answer, sent once it has succeeded. */
import { expandSettings } from "../settings/host-config.js";
import type { BindingInfo, InvocationResponse, TypedData } from "../app/core-types.js";
import type { HostedFunction } from "../app/hosted-function.js";
import type { ServiceBusConnections } from "./connections.js";

/** Sends the outputs of one successful invocation; a failure fails the invocation. */
export type OutputSender = (fn: HostedFunction, response: InvocationResponse) => Promise<void>;

const isServiceBus = (binding: BindingInfo): boolean => binding.type.toLowerCase() === "servicebus";

/** Output types that this host serves; the answer of an HTTP function is served elsewhere. */
export const isServedOutput = (binding: BindingInfo): boolean =>
  isServiceBus(binding) || binding.type.toLowerCase() === "http";

const toBytes = (value: unknown): Buffer =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value));

/** One message for each item of an array, one for anything else. */
const messageBodies = (data: TypedData): Buffer[] => {
  if (data.bytes !== undefined) return [Buffer.from(data.bytes)];
  if (data.string !== undefined) return [Buffer.from(data.string)];
  if (data.json !== undefined) {
    const value: unknown = JSON.parse(data.json);
    return Array.isArray(value) ? value.map(toBytes) : [Buffer.from(data.json)];
  }
  const number = data.int ?? data.double;
  return number === undefined ? [] : [Buffer.from(String(number))];
};

const textOption = (binding: BindingInfo, name: string): string | undefined => {
  const value = binding[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

export const outputSender = (
  connections: ServiceBusConnections,
  settings: Readonly<Record<string, string>>,
): OutputSender => {
  const send = async (binding: BindingInfo, data: TypedData): Promise<void> => {
    const entity = textOption(binding, "queueName") ?? textOption(binding, "topicName") ?? "";
    const sender = await connections.sender(
      textOption(binding, "connection"),
      expandSettings(entity, settings),
    );
    const bodies = messageBodies(data);
    if (bodies.length > 0) await sender.sendMessages(bodies.map((body) => ({ body })));
  };

  return async (fn, response) => {
    for (const { name, binding } of fn.outputs) {
      if (!isServiceBus(binding)) continue;
      const data =
        name === "$return"
          ? response.returnValue
          : response.outputData?.find((output) => output.name === name)?.data;
      if (data !== undefined && data !== null) await send(binding, data);
    }
  };
};
