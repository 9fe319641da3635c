/** What each command of an orchestrator leaves behind: an event in its history, and work to do. */
import { randomUUID } from "node:crypto";
import type { NewActivity, NewInstance } from "../storage/change.js";
import type {
  CallActivity,
  CallChild,
  CallEntity,
  Command,
  RetryPause,
} from "../replay/commands.js";
import { httpTaskName } from "../replay/determinism.js";
import type { DurableFunctions } from "../protocol/functions.js";
import type { Failed, Message, MessageBody } from "../protocol/messages.js";
import type { OrchestrationState } from "./orchestration-state.js";
import {
  eventCode,
  historyEvent,
  idLengthMax,
  isOrchestrationId,
  parseEntityId,
  type HistoryEvent,
} from "../protocol/protocol.js";

export interface Effects {
  readonly events: HistoryEvent[];
  readonly activities: NewActivity[];
  readonly messages: Message[];
  readonly instances: NewInstance[];
  /** Tasks that this turn opened: timers by the number of their message, and children. */
  readonly timers: Map<number, number>;
  readonly children: number[];
}

export interface EffectContext {
  readonly state: OrchestrationState;
  readonly functions: DurableFunctions;
  readonly now: Date;
  readonly nextMessageId: () => number;
  /** Of children that the code starts without a version. */
  readonly defaultVersion: string | undefined;
}

export const noSuchFunction = (
  functions: DurableFunctions,
  kind: "orchestrator" | "activity" | "entity",
  name: string,
): string =>
  `The function '${name}' doesn't exist, is disabled, or is not an ${kind} function. Additional ` +
  `info: The following are the known ${kind} functions: ` +
  `${functions
    .names(kind)
    .map((known) => `'${known}'`)
    .join(", ")}.`;

/** Where an entity has no row yet, its first message brings one. */
export const newEntity = (id: string): NewInstance => ({
  id,
  kind: "entity",
  executionId: randomUUID().replaceAll("-", ""),
  name: id,
  status: "Running",
});

/** Collects the effects of one turn's new commands. */
export class EffectCollector {
  readonly effects: Effects = {
    events: [],
    activities: [],
    messages: [],
    instances: [],
    timers: new Map(),
    children: [],
  };
  readonly #context: EffectContext;
  /** The events with which this turn began. */
  readonly #newEvents: readonly HistoryEvent[];

  constructor(context: EffectContext, newEvents: readonly HistoryEvent[]) {
    this.#context = context;
    this.#newEvents = newEvents;
  }

  add(command: Command): void {
    const { now } = this.#context;
    const retry = command.retryOf === undefined ? {} : { RetryOf: command.retryOf };
    switch (command.kind) {
      case "activity":
        this.#event("TaskScheduled", { EventId: command.id, Name: command.name, ...retry });
        this.#activity(command);
        return;
      case "http":
        this.#event("TaskScheduled", { EventId: command.id, Name: httpTaskName });
        this.effects.activities.push({
          taskId: command.id,
          name: httpTaskName,
          input: command.request,
        });
        return;
      case "child":
        this.#child(command);
        return;
      case "timer":
        this.#event("TimerCreated", { EventId: command.id, FireAt: command.fireAt });
        if (!command.isCanceled()) this.#timer(command.id, command.fireAt.getTime());
        return;
      case "pause": {
        const delayMs = this.#outOfTime(command) ? 0 : command.delayMs;
        const fireAt = new Date(now.getTime() + delayMs);
        this.#event("TimerCreated", { EventId: command.id, FireAt: fireAt, ...retry });
        this.#timer(command.id, fireAt.getTime());
        return;
      }
      case "entity":
        this.#entity(command);
        return;
      case "lock":
        this.#request(command.id, command.lockSet[0] ?? "", {
          type: "lock",
          ...this.#asker(command.requestId),
          lockSet: [...command.lockSet],
          position: 0,
          rewinds: this.#context.state.rewinds,
        });
        return;
      case "release":
        this.#request(command.id, command.target, {
          type: "release",
          ...this.#asker(""),
          rewinds: this.#context.state.rewinds,
        });
        return;
    }
  }

  #event(
    ...[name, details]: [Parameters<typeof historyEvent>[0], Parameters<typeof historyEvent>[2]]
  ): void {
    this.effects.events.push(historyEvent(name, this.#context.now, details));
  }

  #send(target: string, body: MessageBody, more: Partial<Message> = {}): number {
    const id = this.#context.nextMessageId();
    this.effects.messages.push({ id, target, body, ...more });
    return id;
  }

  #sendSelf(body: MessageBody, dueAt?: number): number {
    const { id, executionId } = this.#context.state;
    return this.#send(id, body, { executionId, ...(dueAt !== undefined && { dueAt }) });
  }

  #asker(id: string): { id: string; parent: string; parentExecution: string } {
    const { state } = this.#context;
    return { id, parent: state.id, parentExecution: state.executionId };
  }

  #timer(taskId: number, fireAt: number): void {
    const body: MessageBody = { type: "timer", taskId, fireAt };
    const dueAt = Number.isFinite(fireAt) ? fireAt : this.#context.now.getTime();
    this.effects.timers.set(taskId, this.#sendSelf(body, dueAt));
  }

  #activity(command: CallActivity): void {
    const { functions } = this.#context;
    const { id: taskId, input } = command;
    const name = functions.find("activity", command.name);
    if (name === undefined) {
      const why = noSuchFunction(functions, "activity", command.name);
      const reason = `Activity function '${command.name}' failed:  ${why}`;
      this.#sendSelf({ type: "activityFailed", taskId, reason, details: why });
      return;
    }
    const failed = this.#outOfTime(command) ? this.#lastFailure(command.retryOf) : undefined;
    if (failed === undefined) this.effects.activities.push({ taskId, name, input });
    else this.#sendSelf({ type: "activityFailed", taskId, ...failed });
  }

  #child(command: CallChild): void {
    const { state, now } = this.#context;
    const taskId = command.id;
    const id = command.instanceId ?? `${state.executionId}:${taskId}`;
    const details = { EventId: taskId, Name: command.name, InstanceId: id };
    const retry = command.retryOf === undefined ? {} : { RetryOf: command.retryOf };
    this.effects.events.push(
      historyEvent("SubOrchestrationInstanceCreated", now, { ...details, ...retry }),
    );
    this.effects.children.push(taskId);
    const failed = this.#outOfTime(command) ? this.#lastFailure(command.retryOf) : undefined;
    if (failed !== undefined) {
      this.#sendSelf({ type: "childFailed", taskId, ...failed });
      return;
    }
    const reason = isOrchestrationId(id)
      ? `An Orchestration instance with the id '${id}' that has not ended already exists.`
      : `The instance id '${id.slice(0, idLengthMax)}' is not valid.`;
    if (id === state.id || !isOrchestrationId(id)) {
      this.#sendSelf({ type: "childFailed", taskId, reason, details: reason });
      return;
    }
    this.effects.instances.push({
      id,
      kind: "orchestration",
      executionId: randomUUID().replaceAll("-", ""),
      name: command.name,
      version: command.version ?? this.#context.defaultVersion,
      status: "Pending",
      input: command.input,
      traceParent: state.traceParent,
      parentId: state.id,
      parentExecutionId: state.executionId,
      parentTaskId: taskId,
      onConflict: {
        id: this.#context.nextMessageId(),
        target: state.id,
        executionId: state.executionId,
        body: { type: "childFailed", taskId, reason, details: reason },
      },
    });
  }

  #entity(command: CallEntity): void {
    const { functions } = this.#context;
    const name = parseEntityId(command.target)?.name ?? "";
    const requestId = randomUUID();
    const input = command.input === undefined ? {} : { input: command.input };
    const operation = { type: "operation" as const, operation: command.operation, ...input };
    if (functions.find("entity", name) !== undefined) {
      const asker = command.isSignal ? { id: requestId } : this.#asker(requestId);
      this.#request(command.id, command.target, { ...operation, ...asker });
      return;
    }
    const sent = JSON.stringify({ id: requestId, op: command.operation });
    this.#event("EventSent", {
      EventId: command.id,
      InstanceId: command.target,
      Name: "op",
      Input: sent,
    });
    if (command.isSignal) return;
    const result = JSON.stringify(noSuchFunction(functions, "entity", name));
    const answer = JSON.stringify({ result, exceptionType: "Error" });
    this.#sendSelf({ type: "event", name: requestId, input: answer });
  }

  /** A message to an entity, with the event by which the library learns the request's id. */
  #request(
    EventId: number,
    target: string,
    body: Extract<MessageBody, { type: "operation" | "lock" | "release" }>,
  ): void {
    const { type, id } = body;
    const isSignal = type === "operation" && body.parent === undefined;
    const signal = isSignal ? { signal: true } : {};
    const op = type === "operation" ? { op: body.operation, ...signal, input: body.input } : {};
    const lock = type === "lock" ? { lockset: body.lockSet } : {};
    const Input = JSON.stringify({ ...op, ...lock, id });
    const Name = type === "release" ? "release" : "op";
    this.#event("EventSent", { EventId, InstanceId: target, Name, Input });
    this.effects.instances.push(newEntity(target));
    this.#send(target, body);
  }

  get #history(): HistoryEvent[] {
    return [...this.#context.state.history, ...this.#newEvents];
  }

  #firstAttempt(rootId: number): HistoryEvent | undefined {
    return this.#history.find(
      ({ EventType, EventId }) =>
        EventId === rootId &&
        (EventType === eventCode.TaskScheduled ||
          EventType === eventCode.SubOrchestrationInstanceCreated),
    );
  }

  /** The library knows of no time limit for retries; so, past it, attempts fail unattempted. */
  #outOfTime({ retry, retryOf }: CallActivity | CallChild | RetryPause): boolean {
    if (retry === undefined || retryOf === undefined || retry.timeoutMs === Infinity) return false;
    const first = this.#firstAttempt(retryOf)?.Timestamp.getTime() ?? Infinity;
    return this.#context.now.getTime() - first >= retry.timeoutMs;
  }

  #lastFailure(rootId: number | undefined): Failed | undefined {
    const history = this.#history;
    const attempts = new Set(
      history
        .filter(({ EventId, RetryOf }) => RetryOf === rootId || EventId === rootId)
        .map(({ EventId }) => EventId),
    );
    const failure = history.findLast(
      ({ Reason, TaskScheduledId }) => Reason !== undefined && attempts.has(TaskScheduledId ?? -1),
    );
    return (
      failure && {
        reason: failure.Reason ?? "",
        details: failure.Details ?? "",
        ...(failure.FailureDetails !== undefined && { failure: failure.FailureDetails }),
      }
    );
  }
}
