/** A client of the durable engine that only notes which flows are started: none runs before. */
import type { FlowClient } from "../../../shared/durable/flow-client.js";

/** `instances` are those that were started; each runs from then on. */
export const noteStartedFlows = () => {
  const instances = new Set<string>();
  const client: FlowClient = {
    getStatus: (instanceId) =>
      instances.has(instanceId)
        ? Promise.reject(new Error("asked again about what runs"))
        : Promise.reject(new Error(`No instance with ID ${instanceId}`)),
    startNew: (_, options) => {
      instances.add(String(options?.instanceId));
      return Promise.resolve(String(options?.instanceId));
    },
    raiseEvent: () => Promise.resolve(),
  };
  return { client, instances };
};
