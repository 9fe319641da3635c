/** Compares what the code asks for now with what the history says it asked for before. */
import type { IssuedCommand } from "./command-log.js";
import type { Command } from "./commands.js";
import { eventCode, type HistoryEvent } from "../protocol/protocol.js";

/** The name under which an HTTP call of an orchestrator is kept as a task. */
export const httpTaskName = "BuiltIn::HttpActivity";

const describeEvent = (event: HistoryEvent): string => {
  switch (event.EventType) {
    case eventCode.TaskScheduled:
      return event.Name === httpTaskName ? "an HTTP request" : `the activity '${event.Name ?? ""}'`;
    case eventCode.SubOrchestrationInstanceCreated:
      return `the sub-orchestration '${event.Name ?? ""}'`;
    case eventCode.TimerCreated:
      return "a timer";
    default:
      return `a message to the entity '${event.InstanceId ?? ""}'`;
  }
};

const describeCommand = (command: Command): string => {
  switch (command.kind) {
    case "activity":
      return `the activity '${command.name}'`;
    case "child":
      return `the sub-orchestration '${command.name}'`;
    case "timer":
    case "pause":
      return "a timer";
    case "http":
      return "an HTTP request";
    case "lock":
      return `a message to the entity '${command.lockSet[0] ?? ""}'`;
    case "entity":
    case "release":
      return `a message to the entity '${command.target}'`;
  }
};

const asksForSomething: ReadonlySet<number> = new Set([
  eventCode.TaskScheduled,
  eventCode.SubOrchestrationInstanceCreated,
  eventCode.TimerCreated,
  eventCode.EventSent,
]);

interface Past {
  readonly event: HistoryEvent;
  readonly number: number;
}

const sentence = (what: string): string =>
  `Non-Deterministic workflow detected: ${what} Was a change made to the orchestrator code after ` +
  `this instance had already started running?`;

export interface Comparison {
  /** What is wrong, as the text of the instance's failure; undefined where all is well. */
  readonly mismatch: string | undefined;
  /** The commands that the history does not know yet. */
  readonly fresh: readonly Command[];
}

/**
 * Events before index `boundary` were played before. A rewound history lacks the failed steps, so
 * there the moment of a command says nothing and only number, kind and name are compared.
 */
export const compareWithHistory = (
  history: readonly HistoryEvent[],
  boundary: number,
  issued: readonly IssuedCommand[],
): Comparison => {
  const past = new Map<number, Past>();
  const rewound = history.some(({ EventType }) => EventType === eventCode.GenericEvent);
  for (const [index, event] of history.slice(0, boundary).entries()) {
    if (asksForSomething.has(event.EventType))
      past.set(event.EventId, { event, number: index + 1 });
  }
  const fresh: Command[] = [];
  const fail = (what: string): Comparison => ({ mismatch: sentence(what), fresh: [] });
  for (const { command, at } of issued) {
    const before = past.get(command.id);
    const now = describeCommand(command);
    if (before === undefined) {
      if (at < boundary && !rewound)
        return fail(
          `upon event ${at + 1} of the history the code now asks for ${now} with the sequence ` +
            `number ${command.id}, but the history says that nothing was asked for there.`,
        );
      fresh.push(command);
      continue;
    }
    past.delete(command.id);
    const then = describeEvent(before.event);
    if (then !== now || (at >= boundary && !rewound))
      return fail(
        `event ${before.number} of the history says that the code asked for ${then} with the ` +
          `sequence number ${command.id}, but the code now asks for ${now}` +
          `${then === now ? " only later" : " with this number"}.`,
      );
  }
  for (const [id, { event, number }] of past)
    return fail(
      `event ${number} of the history says that the code asked for ${describeEvent(event)} with ` +
        `the sequence number ${id}, but the code no longer asks for it.`,
    );
  return { mismatch: undefined, fresh };
};
