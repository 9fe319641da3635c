/** The app's durable functions as the durable engine sees them. */
import type { DurableFunctions, DurableKind } from "../durable/protocol/functions.js";
import type { TraceContext } from "./app/core-types.js";
import { hearingErrors } from "./app/json-errors.js";
import type { HostedFunction } from "./app/hosted-function.js";
import type { Invoker } from "./app/invoke.js";

const kindOfTrigger: Readonly<Record<string, DurableKind>> = {
  orchestrationtrigger: "orchestrator",
  activitytrigger: "activity",
  entitytrigger: "entity",
};

const traceContextOf = (traceParent: string | undefined): TraceContext | undefined =>
  traceParent === undefined ? undefined : { traceParent, traceState: "", attributes: {} };

export const durableKind = (fn: HostedFunction): DurableKind | undefined =>
  kindOfTrigger[fn.trigger.type.toLowerCase()];

/**
 * An engine goes on with open orchestrations before its start has come to an end; an activity that
 * asks for a durable client waits for `engineStarted`, since until then there is none.
 */
export const durableFunctions = (
  functions: readonly HostedFunction[],
  invoker: Invoker,
  engineStarted: () => Promise<unknown>,
): DurableFunctions => {
  const byKind: Record<DurableKind, Map<string, HostedFunction>> = {
    orchestrator: new Map(),
    activity: new Map(),
    entity: new Map(),
  };
  for (const fn of functions) {
    const kind = durableKind(fn);
    if (kind !== undefined) byKind[kind].set(fn.name.toLowerCase(), fn);
  }

  const lookUp = (kind: DurableKind, name: string): HostedFunction => {
    const fn = byKind[kind].get(name.toLowerCase());
    if (fn === undefined) throw new Error(`The app has no ${kind} named "${name}".`);
    return fn;
  };

  const runLive = async (
    kind: DurableKind,
    name: string,
    trigger: object,
    onContext?: (context: unknown) => void,
    traceParent?: string,
  ): Promise<unknown> => {
    const traceContext = traceContextOf(traceParent);
    const call = { liveTrigger: trigger, onContext, traceContext };
    const outcome = await invoker.invoke(lookUp(kind, name), call);
    return outcome.result;
  };

  return {
    find: (kind, name) => byKind[kind].get(name.toLowerCase())?.name,
    names: (kind) => [...byKind[kind].values()].map(({ name }) => name),
    runOrchestrator: (name, trigger, onContext, traceParent) =>
      runLive("orchestrator", name, trigger, onContext, traceParent),
    runEntity: (name, trigger, onThrown) =>
      hearingErrors(onThrown, () => runLive("entity", name, trigger)),
    runActivity: async (name, input, instanceId, traceParent) => {
      const activity = lookUp("activity", name);
      if (activity.inputs.length > 0) await engineStarted();
      const outcome = await invoker.invoke(activity, {
        liveTrigger: input === undefined ? undefined : (JSON.parse(input) as unknown),
        liveMetadata: { instanceId },
        traceContext: traceContextOf(traceParent),
      });
      return outcome.result;
    },
  };
};
