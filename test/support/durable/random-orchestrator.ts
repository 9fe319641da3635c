/** Orchestrators made by chance: a list of steps, and the generator that carries them out. */
import { createRequire } from "node:module";
import {
  EntityId,
  RetryOptions,
  type OrchestrationContext,
  type OrchestrationHandler,
  type Task,
} from "durable-functions";
import fc from "fast-check";
import type { DurableFunctions } from "../../../local/durable/protocol/functions.js";

const leaves = ["activity", "retried", "child", "retriedChild", "timer", "event", "http"] as const;
const moves = ["guid", "status", "signal", "entity", "lock", "release", "cancel"] as const;
const ends = ["throw", "again"] as const;

export type Step =
  | { readonly kind: (typeof leaves)[number] | (typeof moves)[number] | (typeof ends)[number] }
  | { readonly kind: "all" | "any"; readonly of: readonly (typeof leaves)[number][] };

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom(...leaves) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom(...moves) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constantFrom("all" as const, "any" as const),
        of: fc.array(fc.constantFrom(...leaves), { minLength: 1, maxLength: 4 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom(...ends) }) },
  ),
  { maxLength: 12 },
);

/** What the code saw when it came to a step. */
export interface Sight {
  readonly step: number;
  readonly isReplaying: boolean;
  readonly now: number;
}

type Flow = OrchestrationContext["df"];

const begin = (flow: Flow, kind: (typeof leaves)[number], step: number): Task => {
  const retry = new RetryOptions(100, 2);
  switch (kind) {
    case "activity":
      return flow.callActivity("step", step);
    case "retried":
      return flow.callActivityWithRetry("step", retry, step);
    case "child":
      return flow.callSubOrchestrator("random", step, `child-${step}`);
    case "retriedChild":
      return flow.callSubOrchestratorWithRetry("random", retry, step, `child-${step}`);
    case "timer":
      return flow.createTimer(new Date(flow.currentUtcDateTime.getTime() + 1_000));
    case "event":
      return flow.waitForExternalEvent(step % 2 === 0 ? "even" : "odd");
    case "http":
      return flow.callHttp({ method: "GET", url: "http://127.0.0.1/" });
  }
};

const isTimer = (task: unknown): task is { cancel(): void; isCompleted: boolean } =>
  typeof task === "object" && task !== null && "cancel" in task;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "?");

export const orchestrator = (plan: readonly Step[], see: (sight: Sight) => void) =>
  function* (context: OrchestrationContext): Generator<Task, unknown, unknown> {
    const flow = context.df;
    const facts: unknown[] = [flow.getInput()];
    const counter = new EntityId("counter", "k");
    let last: Task | undefined;
    let lock: { release(): void } | undefined;
    for (const [step, { kind, ...more }] of plan.entries()) {
      see({ step, isReplaying: flow.isReplaying, now: flow.currentUtcDateTime.getTime() });
      try {
        if (kind === "all" || kind === "any") {
          const of = "of" in more ? more.of : [];
          const tasks = of.map((leaf) => begin(flow, leaf, step));
          [last] = tasks;
          const settled = yield kind === "all" ? flow.Task.all(tasks) : flow.Task.any(tasks);
          facts.push(kind === "all" ? settled : tasks.findIndex((task) => task === settled));
        } else if (kind === "guid") facts.push(flow.newGuid("g"));
        else if (kind === "status") flow.setCustomStatus({ step, facts: facts.length });
        else if (kind === "signal") flow.signalEntity(counter, "add", step);
        else if (kind === "entity") facts.push(yield flow.callEntity(counter, "get"));
        else if (kind === "lock") lock = (yield flow.lock(counter)) as { release(): void };
        else if (kind === "release") lock?.release();
        else if (kind === "cancel") {
          if (isTimer(last) && !last.isCompleted) last.cancel();
        } else if (kind === "again") {
          flow.continueAsNew(step);
          return undefined;
        } else if (kind !== "throw") {
          last = begin(flow, kind, step);
          facts.push(yield last);
        }
      } catch (error) {
        facts.push(messageOf(error));
      }
      if (kind === "throw") throw new Error(`gives up at ${step}`);
    }
    see({
      step: plan.length,
      isReplaying: flow.isReplaying,
      now: flow.currentUtcDateTime.getTime(),
    });
    return facts;
  };

type Listener = (trigger: object, context: object) => Promise<unknown>;

const { Orchestrator } = createRequire(import.meta.url)(
  "durable-functions/lib/src/orchestrations/Orchestrator.js",
) as { Orchestrator: new (handler: OrchestrationHandler) => { listen(): Listener } };

/** An app with one orchestrator, `random`, run by the library's own code as a host would. */
export const appOf = (handler: OrchestrationHandler): DurableFunctions => {
  const listener = new Orchestrator(handler).listen();
  const refuse = async (): Promise<never> => Promise.reject(new Error("only orchestrators run"));
  return {
    find: (_kind, name) => name,
    names: () => ["random"],
    runOrchestrator: async (_name, trigger, onContext) => {
      const context = {};
      onContext(context);
      return listener(trigger, context);
    },
    runActivity: refuse,
    runEntity: refuse,
  };
};
